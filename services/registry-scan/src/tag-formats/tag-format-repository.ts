import { HelmTagFormat, helmTagFormats } from '@berth/contracts/resources/charts/helm-tag-formats';
import type { ListRequest } from '@berth/contracts/definition/paging';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import type { Queries, Transaction } from '@berth/db/database';
import { equals } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { sql } from 'slonik';
import { z } from 'zod';

export interface TagFormatFilters extends ListRequest {
  pattern?: string | undefined;
}

const format = sql.type(HelmTagFormat);
const revision = sql.type(z.object({ revision: z.number().int() }));
const columns = sql.fragment`id, created_at, pattern`;

export const createTagFormatRepository = (db: Queries) => ({
  list: (request: TagFormatFilters) =>
    listPage(db, {
      row: HelmTagFormat,
      columns,
      from: sql.fragment`helm_tag_formats`,
      where: [equals(sql.fragment`pattern`, request.pattern)],
      request,
      sortable: { created_at: sql.fragment`created_at`, pattern: sql.fragment`pattern` },
    }),

  find: (id: string) => db.maybeOne(format`select ${columns} from helm_tag_formats where id = ${id}`),

  /** All formats, in the order in which they are tried. */
  newestFirst: () => db.any(format`select ${columns} from helm_tag_formats order by created_at desc, id desc`),

  /** The revision of the formats. Read it before the formats, so that at worst a chart is parsed once too often. */
  revision: async (): Promise<number> => (await db.one(revision`select revision from tag_formats_revision`)).revision,

  /** Makes every tag due for parsing; call it in the transaction that changes the formats. */
  raiseRevision: () => db.one(revision`update tag_formats_revision set revision = revision + 1 returning revision`),
});

/** Reads and changes in a transaction. Each change is published with it. */
export const createTagFormatChanges = (tx: Transaction) => {
  const published = publishing(tx, helmTagFormats);

  return {
    ...createTagFormatRepository(tx),

    insert: (pattern: string) =>
      tx
        .one(format`insert into helm_tag_formats (pattern) values (${pattern}) returning ${columns}`)
        .catch(conflictOn('helm_tag_formats_pattern_key', 'This tag format already exists'))
        .then(published.inserted),

    remove: (id: string) =>
      tx.maybeOne(format`delete from helm_tag_formats where id = ${id} returning ${columns}`).then(published.deleted),
  };
};
export type TagFormatChanges = ReturnType<typeof createTagFormatChanges>;
