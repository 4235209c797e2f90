import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import type { HelmStarter } from '../helm/helm-starter.ts';
import type { ChartCache } from '../files/chart-cache.ts';
import type { ClaimLease } from '../claim/claim-lease.ts';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { RunnerMetrics } from './runner-metrics.ts';
import type { TaskFolder } from '../files/task-folder.ts';
import type { TaskLog } from '../log/task-log.ts';

/** What one run of one task has to work with. */
export interface TaskRun {
  task: ClaimedTask;
  lease: ClaimLease;
  log: TaskLog;
  folder: TaskFolder;
  /** Access to the cluster for Helm. */
  kubeconfig: string;
  client: ClusterClient;
  charts: ChartCache;
  metrics: RunnerMetrics;
  helm: HelmStarter;
  discoveryCache: string;
  /** Texts that leave in no line and no reason. */
  secrets: () => readonly string[];
  /** Aborts when the run must end: claim lost, canceled, or the runner is stopping. */
  stop: AbortSignal;
}
