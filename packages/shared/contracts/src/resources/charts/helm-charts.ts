import { z } from 'zod';
import { everybody } from '../../access/readers.ts';
import { signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, JsonObject, Timestamp } from '../../fields/fields.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';

export const HelmChart = z.strictObject({
  id: Id,
  created_at: Timestamp,
  helm_registry_id: Id,
  image_digest: z.string(),
  image_tag: z.string(),
  available: z.boolean(),
  /** The four extension files as parsed by `chart-extensions/` (`ValuesUi`, `Actions`, …); null if the chart lacks the file. */
  values_ui: JsonObject.nullable(),
  actions_schema: JsonObject.nullable(),
  features: JsonObject.nullable(),
  resource_types: JsonObject.nullable(),
  /** Names the extension file and the broken rule; a chart with an error cannot be deployed. */
  error: z.string().nullable(),
  tag_format_id: Id.nullable(),
  parsed_version: z.string().nullable(),
  parsed_revision: z.string().nullable(),
  parsed_branch: z.string().nullable(),
  parsed_commit: z.string().nullable(),
});
export type HelmChart = z.infer<typeof HelmChart>;

export const helmCharts = resource('helm_charts', {
  owner: 'registry-scan',
  singular: 'chart',
  state: { row: HelmChart, readers: everybody, consumers: ['tasks'] },
  operations: {
    list: operation({
      http: 'GET /helm-charts',
      summary: 'List charts',
      allow: signedIn,
      query: listQuery({
        filters: {
          helm_registry_id: filter.id,
          kind_id: filter.id,
          image_tag: filter.exact,
          parsed_version: filter.exact,
          parsed_branch: filter.exact,
          available: filter.boolean,
          in_use: filter.boolean.meta({ description: 'some deployment, enabled or not, refers to it' }),
        },
        sort: ['created_at', 'image_tag', 'parsed_version', 'parsed_branch'],
      }),
      response: pageOf(HelmChart),
    }),
    get: operation({ http: 'GET /helm-charts/:id', summary: 'Read a chart', allow: signedIn, response: HelmChart }),
  },
});
