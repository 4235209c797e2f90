import type { Bus } from '@berth/bus/bus';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import type { Service } from '@berth/service/service';
import type { ClaimLease } from '../claim/claim-lease.ts';
import type { DeploymentClient } from '../calls/deployment-client.ts';
import type { ClusterEntry, Entered } from '../cluster/cluster-entry.ts';
import type { TaskCluster } from '../cluster/task-cluster.ts';
import type { ChartCache } from '../files/chart-cache.ts';
import { createTaskFolder, type TaskFolder } from '../files/task-folder.ts';
import type { HelmStarter } from '../helm/helm-starter.ts';
import { createKnownSecrets, type KnownSecrets } from '../log/known-secrets.ts';
import type { ChartSchemas } from '../manifests/chart-schemas.ts';
import type { ChartCrds } from '../plan/chart-crds.ts';
import { createTaskLog, type TaskLog } from '../log/task-log.ts';
import type { RunnerMetrics } from '../metrics/runner-metrics.ts';
import type { FieldsWork } from '../fields/fields-work.ts';
import type { ManifestWork } from '../manifests/read-manifests.ts';
import type { ReadBudget } from '../rollout/read-budget.ts';
import type { LRUCache } from 'lru-cache';

/** The slot of a run, which is for work: a run that only waits leaves it to others, once and for all. */
interface Slot {
  readonly isLeft: boolean;
  leave(): void;
}

/** Dependencies that all runs of one runner share. */
export interface RunnerDeps {
  bus: Pick<Bus, 'call' | 'hints'>;
  log: Service['log'];
  access: ClusterEntry;
  charts: ChartCache;
  metrics: RunnerMetrics;
  helm: HelmStarter;
  deployments: DeploymentClient;
  work: ManifestWork & FieldsWork;
  crds: ChartCrds;
  schemasAreLocal: ChartSchemas;
  /** The reads of all runs that wait for readiness. */
  reads: ReadBudget;
  /** Whether a chart, by its digest, last rendered hooks that run once the release is ready. */
  chartsWithLateHooks: LRUCache<string, boolean>;
  /** Parents of the task folders and of the discovery caches. */
  folders: { tasks: string; discovery: string };
  /** Aborts when the runner stops: Helm gets SIGTERM and the task is handed back. */
  stopping: AbortSignal;
}

/** The namespace of a run; `cluster` is null if the claim may not act in it. */
export interface EnteredCluster extends Omit<Entered, 'access'> {
  readonly cluster: TaskCluster | null;
}

/** Starts with the run, so that other steps can continue meanwhile. */
export type Entering = Promise<EnteredCluster>;

/** One run of one claimed task. Every step receives it, with the cluster if it needs one. */
export interface RunContext {
  readonly task: ClaimedTask;
  readonly lease: ClaimLease;
  /** The task's log, which users read. */
  readonly log: TaskLog;
  readonly runnerLog: Service['log'];
  /** Redacted from the log and from the reason of a failure. */
  readonly secrets: KnownSecrets;
  readonly folder: TaskFolder;
  readonly slot: Slot;
  /** Whether the Helm of this claim has deployed the release. */
  readonly helm: { hasEnded: boolean };
  /** Aborts when the run must end: claim lost, task canceled, or runner stopping. */
  readonly stop: AbortSignal;
  readonly deps: RunnerDeps;
}

export interface NewRun {
  task: ClaimedTask;
  lease: ClaimLease;
  leaveSlot: () => void;
}

export async function newRunContext({ task, lease, leaveSlot }: NewRun, deps: RunnerDeps): Promise<RunContext> {
  const { task_id, deployment_id, request_id, fence } = task;
  const secrets = await createKnownSecrets(task);
  return {
    task,
    lease,
    log: createTaskLog({ task, bus: deps.bus, secrets: secrets.texts, lease }),
    runnerLog: deps.log.child({ task_id, deployment_id, request_id, fence }),
    secrets,
    folder: createTaskFolder(deps.folders.tasks),
    slot: createSlot(leaveSlot),
    helm: { hasEnded: false },
    stop: AbortSignal.any([lease.lost, lease.canceled, deps.stopping]),
    deps,
  };
}

function createSlot(leaveSlot: () => void): Slot {
  let isLeft = false;
  return {
    get isLeft() {
      return isLeft;
    },
    leave() {
      if (!isLeft) leaveSlot();
      isLeft = true;
    },
  };
}
