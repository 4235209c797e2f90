import { z } from 'zod';
import { Id, Timestamp } from '../../fields/fields.ts';

/** A closed list: programs may rely on it. New kinds are new behaviour of the API. */
export const FactKind = z.enum([
  // What a deployment has not reached.
  'deletion',
  'not_installed',
  'not_uninstalled',
  'outdated',
  'namespace_lost',
  // The newest task.
  'task_failed',
  'task_canceled',
  'task_done',
  'cancellation',
  'task_runs',
  'awaits_readiness',
  // What a pending task waits for.
  'earlier_task',
  'scheduled',
  'next_attempt',
  'cluster_unknown',
  'cluster_ignored',
  'cluster_unreachable',
  'cluster_full',
  'platform_full',
  'no_free_runner',
  // The workload.
  'workload_degraded',
  'workload_progressing',
  'workload_unknown',
]);
export type FactKind = z.infer<typeof FactKind>;

/** What a fact is about: a row of Berth, with its id, or an object of the cluster, with its name. */
const FactObject = z.strictObject({
  /** `deployment`, `deployment_task`, `k8s_cluster`, or the kind of an object of the cluster, such as `Pod`. */
  kind: z.string(),
  id: Id.nullable(),
  name: z.string().nullable(),
});

/** One of the facts that `status`, `health` and `reason` are made of. */
export const Fact = z.strictObject({
  kind: FactKind,
  object: FactObject.nullable(),
  since: Timestamp.nullable(),
  /** When it ends by itself; null if that is not known. */
  until: Timestamp.nullable(),
  message: z.string(),
});
export type Fact = z.infer<typeof Fact>;

/** In the order in which they count: the first is what `reason` says first. */
export const Why = z.strictObject({ facts: z.array(Fact) });
export type Why = z.infer<typeof Why>;
