import type { OfEnv } from '../facts/env-row.ts';
import { DeleteEnv } from './delete-env.tsx';
import { Grants } from './grants.tsx';
import { NameSettings } from './name-settings.tsx';
import { Placement } from './placement.tsx';

/** Settings of the whole env. */
export default function Settings({ env, etag }: OfEnv) {
  return (
    <div className="settings">
      <NameSettings env={env} etag={etag} />
      <Placement env={env} etag={etag} />
      <Grants env={env} />
      <DeleteEnv env={env} etag={etag} />
    </div>
  );
}
