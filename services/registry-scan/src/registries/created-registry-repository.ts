import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { CreatedSettings } from './created-settings.ts';

const counted = sql.type(z.object({ count: z.number() }));
const Sealed = z.instanceof(Buffer).nullable();
const sealedRow = sql.type(z.object({ sealed_credentials: Sealed, sealed_push_token: Sealed }));
const secrets = sql.type(z.object({ id: z.uuid(), sealed_credentials: Sealed, sealed_push_token: Sealed }));
const created = sql.type(z.object({ id: z.uuid(), settings: CreatedSettings }));

const binary = (sealed: Buffer | null) => (sealed === null ? null : sql.binary(sealed));

/** What is stored of a created registry beside its settings. */
export interface SealedSecrets {
  credentials: Buffer | null;
  pushToken: Buffer | null;
}

export const createCreatedRegistryRepository = (db: Queries) => ({
  all: () => db.any(created`select helm_registry_id as id, settings from created_registries order by helm_registry_id`),

  count: async (): Promise<number> =>
    (await db.one(counted`select count(*)::int as count from created_registries`)).count,

  /** Null if there is no such registry. */
  sealed: async (id: string): Promise<SealedSecrets | null> => {
    const row = await db.maybeOne(sealedRow`
      select sealed_credentials, sealed_push_token from created_registries where helm_registry_id = ${id}
    `);
    return row && { credentials: row.sealed_credentials, pushToken: row.sealed_push_token };
  },

  /** All that have any, to try the keys on. */
  allSealed: async (): Promise<(SealedSecrets & { id: string })[]> => {
    const rows = await db.any(secrets`
      select helm_registry_id as id, sealed_credentials, sealed_push_token from created_registries
      where sealed_credentials is not null or sealed_push_token is not null
    `);
    return rows.map(({ id, sealed_credentials, sealed_push_token }) => ({
      id,
      credentials: sealed_credentials,
      pushToken: sealed_push_token,
    }));
  },

  insert: (id: string, settings: CreatedSettings, { credentials, pushToken }: SealedSecrets) =>
    db.query(statement`
      insert into created_registries (helm_registry_id, settings, sealed_credentials, sealed_push_token)
      values (${id}, ${sql.jsonb({ ...settings })}, ${binary(credentials)}, ${binary(pushToken)})
    `),

  replaceCredentials: (id: string, credentials: Buffer | null) =>
    db.query(statement`
      update created_registries set sealed_credentials = ${binary(credentials)} where helm_registry_id = ${id}
    `),

  replacePushToken: (id: string, pushToken: Buffer | null) =>
    db.query(statement`
      update created_registries set sealed_push_token = ${binary(pushToken)} where helm_registry_id = ${id}
    `),
});
export type CreatedRegistryRepository = ReturnType<typeof createCreatedRegistryRepository>;
