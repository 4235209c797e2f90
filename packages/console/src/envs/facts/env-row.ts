import type { Row } from '../../api/reads.ts';

export type EnvRow = Row<'envs'>;

/** What each tab of an env gets. */
export interface OfEnv {
  env: EnvRow;
  /** For `ifMatch` of a change. */
  etag: string | null;
}
