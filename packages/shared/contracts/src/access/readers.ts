import type { Identity } from './identity.ts';
import { siteAdmin, tokenHolder } from './rules.ts';
import { seesEnv } from './visible-envs.ts';

/** The part of a row that is in its events: its env and the fields that its contract names (`event`). */
export interface EventScope {
  readonly env_id: string | null;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Who receives the events of a resource: those who may read the row (Specification, "Visibility"). */
export type Readers = (identity: Identity, scope: EventScope) => boolean;

export const everybody: Readers = () => true;

export const membersOfEnv: Readers = (identity, { env_id }) => seesEnv(identity, env_id);

/** Rows without an env are visible to all. */
export const membersOfEnvIfAny: Readers = (identity, { env_id }) => env_id === null || seesEnv(identity, env_id);

export const siteAdmins: Readers = (identity) => siteAdmin.allows(identity, undefined);

/** Needs `user_id` in the event. */
export const holdersOfToken: Readers = (identity, { row: { user_id } }) =>
  typeof user_id === 'string' && tokenHolder.allows(identity, { user_id });
