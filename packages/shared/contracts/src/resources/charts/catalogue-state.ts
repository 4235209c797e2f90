import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { DeploymentKind } from './deployment-kinds.ts';
import { Id } from '../../fields/fields.ts';
import { HelmChart } from './helm-charts.ts';
import { PublishedRegistry } from './helm-registries.ts';
import { rowState } from '../../fields/row-state.ts';

/** Read from the owner before a chart or kind is refused, because a projection may lag. */
export const catalogueState = resource('catalogue_state', {
  owner: 'registry-scan',
  singular: 'catalogue entry',
  operations: {
    now: operation({
      summary: 'A chart with its registry, and a deployment kind, as they are now, with their versions',
      allow: ourServices,
      callers: ['cluster-sync', 'tasks'],
      body: z.strictObject({ helm_chart_id: Id.optional(), kind_id: Id.optional() }),
      response: z.strictObject({
        chart: rowState(HelmChart).nullable(),
        registry: rowState(PublishedRegistry).nullable(),
        kind: rowState(DeploymentKind).nullable(),
      }),
      idempotent: true,
    }),
  },
});
