import { z } from 'zod';
import { signedIn } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { filter, listQuery, pageOf } from '../../definition/paging.ts';
import { Id } from '../../fields/fields.ts';
import { HelmChart } from './helm-charts.ts';

/** More newer charts than this are not counted. */
export const mostNewer = 100;

/** A chart as overviews need it: without its extension files, each of which may be large. */
export const ChartVersion = HelmChart.pick({
  id: true,
  created_at: true,
  helm_registry_id: true,
  image_tag: true,
  image_digest: true,
  available: true,
  parsed_version: true,
  parsed_branch: true,
  parsed_commit: true,
}).extend({
  kind_id: Id,
  has_error: z.boolean(),
  /** The number of later charts of the same registry and branch that can be deployed, up to `mostNewer`. */
  newer: z.number().int(),
});
export type ChartVersion = z.infer<typeof ChartVersion>;

export const chartVersions = resource('chart_versions', {
  owner: 'registry-scan',
  singular: 'chart version',
  row: ChartVersion,
  operations: {
    list: operation({
      http: 'GET /chart-versions',
      summary: 'List charts in short, with how many newer ones of their branch there are',
      allow: signedIn,
      query: listQuery({
        filters: {
          ids: filter.ids,
          helm_registry_id: filter.id,
          kind_id: filter.id,
          parsed_branch: filter.exact,
          available: filter.boolean,
        },
        sort: ['created_at'],
      }),
      response: pageOf(ChartVersion),
    }),
  },
});
