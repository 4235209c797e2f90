import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Text, Timestamp } from '../../fields/fields.ts';

/** What a cluster can report. `Suspended`: scaled to nothing on purpose. */
export const ReportedHealthState = z.enum(['Healthy', 'Progressing', 'Degraded', 'Suspended']);
export type ReportedHealthState = z.infer<typeof ReportedHealthState>;

/** `Unknown`: the cluster does not answer or is ignored, so nothing is known of the workload. */
export const HealthState = z.enum([...ReportedHealthState.options, 'Unknown']);
export type HealthState = z.infer<typeof HealthState>;

/** One object that is not healthy, without the secrets of its deployment. */
export const HealthCause = z.strictObject({
  kind: Text.max(100),
  name: Text.max(253),
  /** For programs: `CrashLoopBackOff`. */
  cause: Text.max(100),
  message: Text.max(600),
  /** When the object got into this state, as far as Berth has seen it. */
  since: Timestamp,
});
export type HealthCause = z.infer<typeof HealthCause>;

export const mostCauses = 10;

/** Whether what is installed works, beside `status`, which is about tasks. */
export const DeploymentHealth = z.strictObject({
  state: HealthState,
  since: Timestamp,
  /** In one line what is wrong; null if nothing is. */
  reason: Text.max(1_000).nullable(),
  /** The most specific first. */
  causes: z.array(HealthCause).max(mostCauses),
});
export type DeploymentHealth = z.infer<typeof DeploymentHealth>;

export const ReportedHealth = DeploymentHealth.extend({ state: ReportedHealthState });
export type ReportedHealth = z.infer<typeof ReportedHealth>;

export const HealthReport = z.strictObject({
  deployment_id: Id,
  /** Where its objects were seen. */
  cluster_id: Id,
  namespace: Text.max(253),
  /** The time of the roll-up in microseconds: a later one wins, in whatever order reports arrive. */
  version: z.number().int().nonnegative(),
  health: ReportedHealth,
});
export type HealthReport = z.infer<typeof HealthReport>;

/**
 * `recorded`: now or by an earlier attempt. `outdated`: there is a later report, or a later installation. `silent`: the cluster is
 * silent or ignored. `elsewhere`: the deployment is not installed there, or does not exist.
 */
export const HealthVerdict = z.enum(['recorded', 'outdated', 'silent', 'elsewhere']);
export type HealthVerdict = z.infer<typeof HealthVerdict>;

/** A report takes up to 25 KiB, and a message of the bus 1 MiB. */
export const mostReports = 25;

export const deploymentHealth = resource('deployment_health', {
  owner: 'tasks',
  singular: 'deployment',
  operations: {
    report: operation({
      summary: 'The health of deployments as their clusters show it; one verdict for each, in the same order',
      allow: ourServices,
      callers: ['cluster-sync'],
      body: z.strictObject({ reports: z.array(HealthReport).max(mostReports) }),
      response: z.strictObject({ verdicts: z.array(HealthVerdict) }),
      idempotent: true,
    }),
  },
});
