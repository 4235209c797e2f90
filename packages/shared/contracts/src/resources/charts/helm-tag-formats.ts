import { z } from 'zod';
import { everybody } from '../../access/readers.ts';
import { signedIn, siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Timestamp, text } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const HelmTagFormat = z.strictObject({ id: Id, created_at: Timestamp, pattern: z.string() });
export type HelmTagFormat = z.infer<typeof HelmTagFormat>;

/** The owner checks whether its linear-time engine accepts the pattern. */
export const NewHelmTagFormat = z.strictObject({ pattern: text(1, 500) });
export type NewHelmTagFormat = z.infer<typeof NewHelmTagFormat>;

export const helmTagFormats = resource('helm_tag_formats', {
  owner: 'registry-scan',
  singular: 'chart tag format',
  state: { row: HelmTagFormat, readers: everybody, consumers: [] },
  operations: {
    list: operation({
      http: 'GET /helm-tag-formats',
      summary: 'List chart tag formats',
      allow: signedIn,
      query: listQuery({ filters: { pattern: filter.exact }, sort: ['created_at', 'pattern'] }),
      response: pageOf(HelmTagFormat),
    }),
    create: operation({
      http: 'POST /helm-tag-formats',
      summary: 'Add a chart tag format and parse all tags again',
      conflicts: 'the format exists, or their number is at its maximum',
      allow: siteAdmin,
      body: NewHelmTagFormat,
      response: HelmTagFormat,
    }),
    get: operation({
      http: 'GET /helm-tag-formats/:id',
      summary: 'Read a chart tag format',
      allow: signedIn,
      response: HelmTagFormat,
    }),
    delete: operation({
      http: 'DELETE /helm-tag-formats/:id',
      summary: 'Delete a chart tag format and parse all tags again',
      allow: siteAdmin,
      response: z.null(),
    }),
  },
});
