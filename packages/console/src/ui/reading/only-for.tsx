import type { Permission } from '../../api/me.ts';
import { Empty } from './problem.tsx';

/** Shown instead of a screen, or a part of one, for which the viewer lacks the role. */
export function OnlyFor({ what, permission }: { what: string; permission: Permission }) {
  return (
    <div className="panel">
      <Empty title={`${what} is for ${permission.needs}`}>
        <p>Your account does not have that role. A site admin can give it to you.</p>
      </Empty>
    </div>
  );
}
