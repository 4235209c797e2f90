import type { Queries } from '@berth/db/database';
import { sql } from 'slonik';
import { z } from 'zod';
import { CreatedSettings } from './created-settings.ts';

const nothing = sql.type(z.object({}));
const counted = sql.type(z.object({ count: z.number() }));
const sealedRow = sql.type(z.object({ sealed_credentials: z.instanceof(Buffer).nullable() }));
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

  insert: (id: string, settings: CreatedSettings, sealed: Buffer | null) =>
    db.query(nothing`
      insert into created_registries (helm_registry_id, settings, sealed_credentials)
      values (${id}, ${sql.jsonb({ ...settings })}, ${sealed === null ? null : sql.binary(sealed)})
    `),

  replaceCredentials: (id: string, sealed: Buffer | null) =>
    db.query(nothing`
      update created_registries set sealed_credentials = ${sealed === null ? null : sql.binary(sealed)}
      where helm_registry_id = ${id}
    `),
});
export type CreatedRegistryRepository = ReturnType<typeof createCreatedRegistryRepository>;
