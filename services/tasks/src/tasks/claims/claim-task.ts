import type { Bus } from '@berth/bus/bus';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import type { ClaimedTask, runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { atMost } from '@berth/service/waiting/at-most';
import type { Service } from '@berth/service/service';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { completeClaimed, type Incomplete } from '../../completing/complete-claimed.ts';
import { type Chart, readChart } from '../../deployments/chart.ts';
import type { ItemReaders } from '../../collections/find-items.ts';
import type { Limits } from '../../records/limits.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { DeploymentsDeps } from '../../deployments/deployments-deps.ts';
import { type HelmInput, helmInput } from '../../values/helm-input.ts';
import { operationOf } from '../../engine/operations/index.ts';
import type { RetryPolicy } from '../../engine/tasks/after-claim.ts';
import type { SecretKeys } from '../../secrets/secret-keys.ts';
import { finishTask } from '../transitions/finish-task.ts';
import { lookUpRequester } from './look-up-requester.ts';
import { type Started, startNext } from './start-next.ts';
import type { TaskMetrics } from '../../metrics/task-metrics.ts';
import { variantOf } from '../../records/variant.ts';
import type { InTransaction } from '../../store/store.ts';
import type { z } from 'zod';
import { openBody } from '../../actions/seal-action.ts';
import { callOfAction } from '../../actions/call-of-action.ts';
import type { InvokeRun, TaskRun } from '../../records/task-run.ts';

export interface ClaimDeps extends Pick<DeploymentsDeps, 'store' | 'heldReaders' | 'reserved'> {
  inTransaction: InTransaction;
  /** The items to which the inputs point. */
  readers: ItemReaders;
  bus: Pick<Bus, 'call'>;
  log: Service['log'];
  secretKeys: SecretKeys;
  ownUrl: string;
  policy: RetryPolicy;
  limits: Limits;
  metrics: Pick<TaskMetrics, 'waited' | 'ended'>;
}

/** How many impossible tasks one claim ends at most; the next claim continues. */
const maxEndedPerClaim = 20;

/** Time to complete and answer a claim. */
const leastMs = 300;

type Claimant = z.output<typeof runnerTasks.operations.claim.body>;

export interface Claimed {
  task: ClaimedTask | null;
  /** Another task was due; whether it may start is not known. */
  more: boolean;
}
const nothing: Claimed = { task: null, more: false };

/** The next task that may start, with all that a runner needs to run it; null if there is none. */
export const claimTask = (deps: ClaimDeps) => {
  // The database runs claims one after the other; waiting here keeps its connections free.
  const inTurn = atMost(1);
  const { limits, policy } = deps;

  return async (
    { runner, continues_waits: continuesWaits = false }: Claimant,
    remainingMs: () => number,
  ): Promise<Claimed> => {
    for (let ended = 0; ended < maxEndedPerClaim; ended += 1) {
      const started = await inTurn(async () => {
        const checked = await lookUpRequester(deps, { limits, continuesWaits }, remainingMs);
        // A task that is claimed too late for the answer would wait for its lease to expire.
        if (remainingMs() < leastMs) return 'nothing';
        return deps.inTransaction((store) =>
          startNext(deps, store, { leaseMs: policy.leaseMs, limits, runner, continuesWaits }, checked),
        );
      });
      if (started === 'nothing') return nothing;
      if (started === 'ended') continue;
      noteWait(deps, started);
      const { jobs, failed } = await completeClaimed([started], {
        remainingMs,
        log: deps.log,
        idOf: ({ task: { id } }) => ({ task_id: id }),
        bugReason: internalError.beforeStart,
        complete: (one, deadlineMs) => claimedTask(deps, one, deadlineMs),
      });
      for (const one of failed) await giveBack(deps, one);
      const [task] = jobs;
      if (task) return { task, more: started.isMoreDue };
    }
    return nothing;
  };
};

/** Only the first start is measured: later ones wait for reasons of earlier attempts. */
function noteWait({ metrics }: ClaimDeps, { task }: Started): void {
  const { execute_at, started_at, first_attempted_at } = task;
  if (started_at === null || started_at !== first_attempted_at) return;
  metrics.waited(variantOf(task.operation), (Date.parse(started_at) - Date.parse(execute_at)) / 1_000);
}

async function claimedTask(deps: ClaimDeps, started: Started, deadlineMs: () => number): Promise<ClaimedTask> {
  const { task, run, deployment, isFirst } = started;
  const input = run.action === 'deploy' ? await inputOf(deps, started, run) : null;
  const { wait } = input?.chart.parsedFeatures ?? (await featuresOfRestart(deps, started)) ?? usualFeatures;
  return {
    task_id: task.id,
    fence: task.fence,
    attempt: task.attempts + 1,
    lease_ms: deps.policy.leaseMs,
    action: run.action,
    is_first: isFirst,
    delete_namespace: run.action === 'uninstall',
    ...(run.action === 'uninstall' && {
      holds_release: await holdsRelease(deps, deployment),
      hooks: !task.skips_hooks,
    }),
    deployment_id: deployment.id,
    deployment_name: run.deployment_name,
    kind: run.kind,
    cluster_id: run.cluster_id,
    namespace: run.namespace,
    chart: input && {
      helm_chart_id: input.chart.id,
      digest: input.chart.digest ?? (await ensureDigest(deps, input.chart, deadlineMs())),
      version: input.chart.image_tag,
    },
    values: input?.values ?? {},
    secrets: input?.secrets ?? {},
    confidential: input?.confidential ?? [],
    ...(input && { hosts: input.hosts, fields: input.fields }),
    ...(run.action === 'deploy' && run.adopts && { adopts: true }),
    call: run.action === 'invoke' ? await callOf(deps, started, { run, deadlineMs: deadlineMs() }) : null,
    restart: run.action === 'restart' ? { ...run.object, at: task.first_attempted_at ?? task.created_at } : null,
    wait,
    traceparent: task.traceparent,
    request_id: task.request_id,
  };
}

/** False if no Helm has begun since the last removal; a runner may have made the namespace. */
const holdsRelease = async ({ store }: ClaimDeps, { id, revision_id }: DeploymentRecord): Promise<boolean> =>
  revision_id !== null || (await store.installed.hasRuns(id));

const usualFeatures = { wait: { enabled: true, timeout_secs: 300 } };

/** Restarts wait as long as deploys of the chart. */
async function featuresOfRestart({ store: { projected } }: ClaimDeps, { run, deployment }: Started) {
  const chart = run.action === 'restart' ? await projected.chart(deployment.helm_chart_id) : null;
  return chart && readChart(chart).parsedFeatures;
}

async function callOf(
  { bus, store, readers, secretKeys }: ClaimDeps,
  { task, deployment }: Started,
  { run, deadlineMs }: { run: InvokeRun; deadlineMs: number },
) {
  const body = await openBody({ store, secretKeys }, task, run.body);
  const hostname = await store.installed.hostnameOf(deployment.id, deployment.revision_id);
  const call = { run: { ...run, body }, hostname, deploymentId: deployment.id, deadlineMs };
  return callOfAction({ bus, projected: store.projected, readers }, call);
}

async function inputOf(
  { store: { projected, secrets, resources }, readers, secretKeys, ownUrl }: ClaimDeps,
  { task, deployment }: Started,
  run: Extract<TaskRun, { action: 'deploy' }>,
): Promise<HelmInput> {
  // A repeated revision must give its workloads the same id as before.
  const isRepeat = operationOf(task.operation).effect === 'repeats';
  const revisionId = (isRepeat ? deployment.revision_id : null) ?? task.id;
  return helmInput(
    { projected, secrets, resources, readers, secretKeys, ownUrl },
    { run, deploymentId: deployment.id, revisionId },
  );
}

/** Never expires: the archive of a chart does not change. */
async function ensureDigest(
  { bus, store: { projected } }: ClaimDeps,
  chart: Chart,
  deadlineMs: number,
): Promise<string> {
  const { digest } = await bus.call(
    chartArchives.operations.ensure,
    { body: { helm_chart_id: chart.id } },
    { deadlineMs },
  );
  await projected.saveDigest(chart.id, digest);
  return digest;
}

const outcomes = { bug: 'Retry', outage: 'Unreachable', refused: 'Failed' } as const;

async function giveBack(
  { inTransaction, policy, metrics }: ClaimDeps,
  { row: { task }, because, reason }: Incomplete<Started>,
): Promise<void> {
  const finish = { task_id: task.id, fence: task.fence, outcome: outcomes[because], reason };
  metrics.ended(await inTransaction((store) => finishTask(store, finish, policy)));
}
