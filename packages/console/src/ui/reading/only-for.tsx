import type { Permission } from '../../api/me.ts';
import { Empty } from './problem.tsx';

/** A screen or part of it that needs a role which the viewer does not have. */
export function OnlyFor({ what, permission }: { what: string; permission: Permission }) {
  return (
    <div className="panel">
      <Empty title={`${what} is for ${permission.needs}`}>
        <p>Your account does not have that role. A site admin can give it to you.</p>
      </Empty>
    </div>
  );
}
