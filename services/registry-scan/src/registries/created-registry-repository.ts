import type { Queries } from '@berth/db/database';
import { sql } from 'slonik';
import { z } from 'zod';
import { CreatedSettings } from './created-settings.ts';

const nothing = sql.type(z.object({}));
const counted = sql.type(z.object({ count: z.number() }));
const sealedRow = sql.type(z.object({ sealed_credentials: z.instanceof(Buffer).nullable() }));
const sealed = sql.type(z.object({ id: z.uuid(), sealed_credentials: z.instanceof(Buffer) }));
const created = sql.type(z.object({ id: z.uuid(), settings: CreatedSettings }));

export const createCreatedRegistryRepository = (db: Queries) => ({
  all: () => db.any(created`select helm_registry_id as id, settings from created_registries order by helm_registry_id`),

  count: async (): Promise<number> =>
    (await db.one(counted`select count(*)::int as count from created_registries`)).count,

  /** Null if there are none, or no registry. */
  sealedCredentials: async (id: string): Promise<Buffer | null> => {
    const row = await db.maybeOne(sealedRow`
      select sealed_credentials from created_registries where helm_registry_id = ${id}
    `);
    return row?.sealed_credentials ?? null;
  },

  /** All credentials, to try the keys on. */
  allSealed: () =>
    db.any(sealed`
      select helm_registry_id as id, sealed_credentials from created_registries where sealed_credentials is not null
    `),

  insert: (id: string, settings: CreatedSettings, credentials: Buffer | null) =>
    db.query(nothing`
      insert into created_registries (helm_registry_id, settings, sealed_credentials)
      values (${id}, ${sql.jsonb({ ...settings })}, ${credentials === null ? null : sql.binary(credentials)})
    `),

  replaceCredentials: (id: string, credentials: Buffer | null) =>
    db.query(nothing`
      update created_registries set sealed_credentials = ${credentials === null ? null : sql.binary(credentials)}
      where helm_registry_id = ${id}
    `),
});
export type CreatedRegistryRepository = ReturnType<typeof createCreatedRegistryRepository>;
