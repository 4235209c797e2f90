import type { StatusColor } from '@berth/contracts/resources/clusters/k8s-resources';
import { z } from 'zod';
import type { KindName } from './tracked-kinds.ts';

/** Bounds a status that claims millions of replicas. */
const maxEntries = 1000;

const count = z.number().int().nonnegative().default(0);

const DeploymentStatus = z.object({
  status: z.object({ availableReplicas: count, unavailableReplicas: count }).optional(),
});
const StatefulSetStatus = z.object({
  spec: z.object({ replicas: z.number().int().nonnegative().default(1) }).optional(),
  status: z.object({ replicas: count, readyReplicas: count }).optional(),
});
const ReplicaSetStatus = z.object({
  spec: z.object({ replicas: z.number().int().nonnegative().default(1) }).optional(),
  status: z.object({ replicas: count, availableReplicas: count }).optional(),
});
const DaemonSetStatus = z.object({
  status: z.object({ desiredNumberScheduled: count, numberAvailable: count }).optional(),
});
const JobStatus = z.object({ status: z.object({ active: count, succeeded: count, failed: count }).optional() });

const Condition = z.object({ type: z.string(), status: z.string() });
const ContainerStatus = z.object({
  state: z.object({ waiting: z.object({ reason: z.string().optional() }).optional() }).optional(),
});
const PodStatus = z.object({
  status: z
    .object({
      phase: z.string().default('Pending'),
      conditions: z.array(Condition).default([]),
      // A malformed container status must not hide the rest of the pod.
      containerStatuses: z.array(ContainerStatus.nullable().catch(null)).default([]),
    })
    .optional(),
});
const Phase = z.object({ status: z.object({ phase: z.string().optional() }).optional() });

/** A container with one of these waiting reasons will not start without intervention. */
const stuck = /BackOff$|^Err|Error$|^InvalidImageName$/;

const claimColors = new Map<string, StatusColor>([
  ['Bound', 'Success'],
  ['Pending', 'Warning'],
  ['Lost', 'Danger'],
]);
const namespaceColors = new Map<string, StatusColor>([
  ['Active', 'Success'],
  ['Terminating', 'Warning'],
]);

const none = (): StatusColor[] => [];

/**
 * The colours of an object's status, good ones first: one entry per replica of a workload or pod of a job, one for a pod,
 * claim or namespace, none for an object without a status of its own. Throws if the status is malformed.
 */
export const statusColor: Record<KindName, (object: unknown) => StatusColor[]> = {
  Deployment: (object) => {
    const { status } = DeploymentStatus.parse(object);
    return status ? colors([status.availableReplicas, 'Success'], [status.unavailableReplicas, 'Danger']) : [];
  },
  ReplicaSet: (object) => {
    const { spec, status } = ReplicaSetStatus.parse(object);
    if (!status) return [];
    const desired = Math.max(spec?.replicas ?? 0, status.replicas);
    return colors([status.availableReplicas, 'Success'], [desired - status.availableReplicas, 'Danger']);
  },
  StatefulSet: (object) => {
    const { spec, status } = StatefulSetStatus.parse(object);
    if (!status) return [];
    const desired = Math.max(spec?.replicas ?? 0, status.replicas);
    return colors([status.readyReplicas, 'Success'], [desired - status.readyReplicas, 'Danger']);
  },
  DaemonSet: (object) => {
    const { status } = DaemonSetStatus.parse(object);
    if (!status) return [];
    const { desiredNumberScheduled, numberAvailable } = status;
    return colors([numberAvailable, 'Success'], [desiredNumberScheduled - numberAvailable, 'Danger']);
  },
  Job: (object) => {
    const { status } = JobStatus.parse(object);
    if (!status) return [];
    return colors([status.active, 'Primary'], [status.succeeded, 'Success'], [status.failed, 'Danger']);
  },
  Pod: (object) => {
    const { status } = PodStatus.parse(object);
    return status ? [podColor(status)] : [];
  },
  PersistentVolumeClaim: (object) => byPhase(object, claimColors),
  Namespace: (object) => byPhase(object, namespaceColors),
  CronJob: none,
  Ingress: none,
  Service: none,
};

function podColor({
  phase,
  conditions,
  containerStatuses,
}: NonNullable<z.infer<typeof PodStatus>['status']>): StatusColor {
  if (phase === 'Succeeded') return 'Success';
  if (phase === 'Failed') return 'Danger';
  if (conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return 'Success';
  const isStuck = containerStatuses.some((container) => stuck.test(container?.state?.waiting?.reason ?? ''));
  return isStuck ? 'Danger' : 'Warning';
}

function byPhase(object: unknown, colorOf: ReadonlyMap<string, StatusColor>): StatusColor[] {
  const phase = Phase.parse(object).status?.phase;
  return phase === undefined ? [] : [colorOf.get(phase) ?? 'Secondary'];
}

function colors(...counts: [number, StatusColor][]): StatusColor[] {
  const entries = counts.flatMap(([number, color]) =>
    Array.from({ length: Math.min(Math.max(number, 0), maxEntries) }, () => color),
  );
  return entries.slice(0, maxEntries);
}
