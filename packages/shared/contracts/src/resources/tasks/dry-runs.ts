import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Claim } from '../../fields/claim.ts';
import { Text } from '../../fields/fields.ts';
import {
  ContestedField,
  PlanCut,
  PlannedClusterRole,
  PlannedHook,
  PlannedObject,
  UntriedObjects,
} from './deployment-plans.ts';
import { ClaimedTask } from './runner-tasks.ts';

/** The part of a plan for one place: what would happen to the release there. As in claims, `task_id` holds its own id. */
export const DryRun = ClaimedTask.pick({
  task_id: true,
  fence: true,
  deployment_id: true,
  cluster_id: true,
  namespace: true,
  chart: true,
  values: true,
  secrets: true,
  confidential: true,
  hosts: true,
  /** Absent from services of the previous version, which do not know what is contested either. */
  fields: true,
}).extend({
  action: z.enum(['deploy', 'uninstall']),
  /** Compares with a Helm release that Berth does not manage yet, and refuses one that it cannot take over. */
  adopts: z.boolean().optional(),
  /** Nobody waits for the result after this time. */
  within_ms: z.number().int().min(0).max(120_000),
});
export type DryRun = z.infer<typeof DryRun>;

const ofOneCluster = { cluster_id: true } as const;

export const DryRunResult = z.strictObject({
  objects: z.array(PlannedObject.omit(ofOneCluster)).max(1_000),
  hooks: z.array(PlannedHook.omit(ofOneCluster)).max(200),
  /** Absent if nothing is granted, and for runners of the previous version. */
  cluster_roles: z.array(PlannedClusterRole.omit(ofOneCluster)).max(100).optional(),
  /** Absent for services of the previous version, and from their runners. */
  contested: z.array(ContestedField.omit(ofOneCluster)).max(200).optional(),
  untried: z.array(UntriedObjects.omit(ofOneCluster)).max(20).optional(),
  unchanged: z.number().int().min(0),
  cut: PlanCut,
});
export type DryRunResult = z.infer<typeof DryRunResult>;

/** `refused`: the change would fail. `unavailable`: a dependency does not answer now. */
export const DryRunFailure = z.strictObject({
  refused: z.boolean(),
  reason: Text.max(500),
  /** Somebody else manages what the change needs. */
  is_conflict: z.boolean().optional(),
});
export type DryRunFailure = z.infer<typeof DryRunFailure>;

export const dryRuns = resource('dry_runs', {
  owner: 'tasks',
  singular: 'dry run',
  operations: {
    claim: operation({
      summary: 'Take the next dry run, for as long as its result is of use',
      allow: ourServices,
      callers: ['runner'],
      response: z.strictObject({ dry_run: DryRun.nullable() }),
    }),
    report: operation({
      summary: 'The result of a dry run',
      allow: ourServices,
      callers: ['runner'],
      body: z.strictObject({
        ...Claim,
        outcome: z.union([z.strictObject({ result: DryRunResult }), z.strictObject({ failure: DryRunFailure })]),
      }),
      response: z.null(),
      idempotent: true,
    }),
  },
});
