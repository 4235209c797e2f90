import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Claim } from '../../fields/claim.ts';
import { KeptFields } from '../deployments/field-path.ts';
import { Id, JsonObject, Text, Timestamp } from '../../fields/fields.ts';

/** What the runner does with the release; the service `tasks` derives it from the operation. */
export const RunnerAction = z.enum(['deploy', 'uninstall', 'invoke', 'restart']);
export type RunnerAction = z.infer<typeof RunnerAction>;

/** A workload by uid, so that a new one of the same name is not restarted. */
const RestartedObject = z.strictObject({
  kind: z.enum(['Deployment', 'StatefulSet', 'DaemonSet']),
  name: z.string(),
  uid: z.string(),
});

/** A call to a deployment: https to the hostname of its ingress. */
export const DeploymentCall = z.strictObject({
  host: z.string(),
  path: z.string(),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  /** JSON text. */
  body: z.string().nullable(),
  /** A JWT whose audience is the deployment. */
  token: z.string(),
  /** Texts of the body that are redacted in logs. */
  hidden: z.array(z.string()),
});
export type DeploymentCall = z.infer<typeof DeploymentCall>;

/** Hosts of the cluster's ingress controllers, in lower case. */
export const RouteHosts = z.strictObject({
  /** The host of the deployment; null if it has none. */
  own: z.string().nullable(),
  /** Every other host below this domain belongs to another deployment, or may do so later. */
  domain: z.string().nullable(),
  /** The hosts of Berth. */
  berth: z.array(z.string()),
});
export type RouteHosts = z.infer<typeof RouteHosts>;

/**
 * A claimed task with all that a runner needs: a complete snapshot with resolved values and secrets in plain text. Only this
 * message carries them.
 */
export const ClaimedTask = z.strictObject({
  task_id: Id,
  /** Grows with every claim; every later write of the runner names it. */
  fence: z.number().int(),
  /** The number of the attempt that starts if Helm begins, from 1. */
  attempt: z.number().int(),
  /** How many ms the claim lasts without a heartbeat. */
  lease_ms: z.number().int(),
  action: RunnerAction,
  /** Nothing of the deployment is known to have been installed before, so most likely the namespace does not exist yet. */
  is_first: z.boolean(),
  /** After `uninstall`: also delete the namespace. */
  delete_namespace: z.boolean(),
  /**
   * For `uninstall`: false if no Helm has begun there, so a namespace of somebody else holds nothing of the deployment. Absent from
   * services of the previous version.
   */
  holds_release: z.boolean().optional(),
  /** For `uninstall`: whether the hooks of the chart run. Absent from services of the previous version. */
  hooks: z.boolean().optional(),
  deployment_id: Id,
  deployment_name: z.string(),
  kind: z.string(),
  cluster_id: Id,
  /** Also the name of the Helm release. */
  namespace: z.string(),
  /** For `invoke`, which needs no other field. */
  call: DeploymentCall.nullable(),
  /** For `restart`. `at` is the same in all claims of the task. */
  restart: RestartedObject.extend({ at: Timestamp }).nullable(),
  /** For `deploy`. `digest` is `sha256:<hex>` of the packaged chart, its key in the object store. */
  chart: z.strictObject({ helm_chart_id: Id, digest: z.string(), version: z.string() }).nullable(),
  values: JsonObject,
  /** Kubernetes Secrets that the chart's inputs require in the namespace: entries by name of the Secret. */
  secrets: z.record(z.string(), z.record(z.string(), z.string())),
  /** Secret contents used elsewhere, such as in values, to be redacted in logs. */
  confidential: z.array(z.string()),
  /** For `deploy`: hosts that a chart must not route. Absent from services of the previous version. */
  hosts: RouteHosts.optional(),
  /** For `deploy`: the release exists already, and somebody else's Helm made it. */
  adopts: z.boolean().optional(),
  wait: z.strictObject({ enabled: z.boolean(), timeout_secs: z.number().int() }),
  /** For `deploy`: fields that keep the value that somebody else gave them. Absent from services of the previous version. */
  fields: z.strictObject({ keep: KeptFields }).optional(),
  /** W3C trace context of the request that created the task. */
  traceparent: z.string().nullable(),
  request_id: z.string().nullable(),
});
export type ClaimedTask = z.infer<typeof ClaimedTask>;

/**
 * - `Retry`: the failure may pass. `Unreachable`: a dependency of the task (its cluster, a service, the registry) does not
 *   answer. `Forbidden`: the cluster denies our account a right, which a cluster also does while it starts.
 *   `afterClaim` in the service `tasks` decides which are repeated, and when.
 * - `HandedBack`: the runner is stopping; the task is due at once, and the attempt does not count unless Helm has ended.
 */
export const TaskOutcome = z.enum(['Done', 'Failed', 'Canceled', 'Retry', 'Unreachable', 'Forbidden', 'HandedBack']);
export type TaskOutcome = z.infer<typeof TaskOutcome>;

export const LogLine = z.strictObject({
  /** ISO time at which the line was read. */
  at: z.iso.datetime(),
  /** `berth` for lines of Berth itself, else the name of the process's stream. */
  source: z.enum(['berth', 'stdout', 'stderr']),
  text: Text.max(8192),
});
export type LogLine = z.infer<typeof LogLine>;

export const runnerTasks = resource('runner_tasks', {
  owner: 'tasks',
  singular: 'task',
  operations: {
    claim: operation({
      summary: 'Take the next task that is due, under a lease',
      allow: ourServices,
      callers: ['runner'],
      // `continues_waits`: this runner goes on waiting for a release that an earlier claim deployed. Older runners take it for ready.
      body: z.strictObject({ runner: Text.max(200), continues_waits: z.boolean().optional() }),
      // `more`: another task was due, so claim again at once. Absent: claim again to find out.
      response: z.strictObject({ task: ClaimedTask.nullable(), more: z.boolean().optional() }),
    }),
    heartbeat: operation({
      summary:
        'Renew the lease, count the attempt when Helm begins, say what the run waits for and whether it works; returns whether cancellation was requested',
      allow: ourServices,
      callers: ['runner'],
      // `helm_begins`: Helm, or the call to a deployment, starts after the answer. It is recorded first, so that the attempt
      // counts even if the runner dies with Helm. `waits_for`: shown as the `reason` of the task while it runs. `awaits`: Helm has
      // ended, and until the end of the claim the task only waits for its objects, without a slot.
      body: z.strictObject({
        ...Claim,
        helm_begins: z.boolean().default(false),
        waits_for: Text.max(500).nullable().default(null),
        awaits: z.literal('readiness').optional(),
      }),
      response: z.strictObject({ lease_ms: z.number().int(), cancel_requested: z.boolean() }),
      idempotent: true,
    }),
    append_log: operation({
      summary: 'Add lines to the log of the task',
      allow: ourServices,
      callers: ['runner'],
      // `first` is the number of the first line within this claim, so a repeated batch adds nothing.
      body: z.strictObject({ ...Claim, first: z.number().int(), lines: z.array(LogLine).max(200) }),
      response: z.null(),
      idempotent: true,
    }),
    finish: operation({
      summary: 'Report the outcome of the claim',
      allow: ourServices,
      callers: ['runner'],
      // `helm_ended`: the Helm of this claim has deployed the release, which a heartbeat may not have said yet.
      body: z.strictObject({
        ...Claim,
        outcome: TaskOutcome,
        reason: Text.max(500).nullable(),
        helm_ended: z.boolean().optional(),
      }),
      response: z.null(),
      idempotent: true,
    }),
  },
});
