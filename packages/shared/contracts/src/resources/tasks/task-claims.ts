import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Claim } from '../../fields/claim.ts';
import { Id } from '../../fields/fields.ts';
import { RunnerAction } from './runner-tasks.ts';

export const taskClaims = resource('task_claims', {
  owner: 'tasks',
  singular: 'claim',
  operations: {
    get: operation({
      summary: 'The details of a claim, while it lasts',
      allow: ourServices,
      callers: ['cluster-sync', 'registry-scan'],
      body: z.strictObject(Claim),
      response: z.strictObject({
        deployment_id: Id,
        cluster_id: Id,
        namespace: z.string(),
        helm_chart_id: Id.nullable(),
        /** A dry run: its runner may only read the cluster. */
        is_dry_run: z.boolean(),
        // Optional for one version: an owner of the previous version does not send them.
        /** Takes over a Helm release that exists already, together with its namespace. */
        adopts: z.boolean().optional(),
        env_id: Id.optional(),
        kind_id: Id.optional(),
        /** Null for a dry run. */
        task: z
          .strictObject({
            action: RunnerAction,
            /** True if Helm never began for the deployment, so nothing is installed. */
            is_first: z.boolean(),
            deployment_name: z.string(),
            kind: z.string(),
            /** The hostname of its ingress; null without an ingress. */
            hostname: z.string().nullable(),
            /** An uninstall after which the deployment may be installed again at the same place. */
            keeps_place: z.boolean().optional(),
          })
          .nullable()
          .optional(),
      }),
      idempotent: true,
    }),
  },
});
