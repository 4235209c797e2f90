import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import { type DryRun, dryRuns } from '@berth/contracts/resources/tasks/dry-runs';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { AppError } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import { completeClaimed } from '../completing/complete-claimed.ts';
import type { ItemReaders } from '../collections/find-items.ts';
import type { Chart } from '../deployments/chart.ts';
import type { DeployRun } from '../records/task-run.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { Claim } from '../store/queue/claim-sql.ts';
import type { ClaimedDryRun } from '../store/queue/dry-run-repository.ts';
import type { ReadingStore } from '../store/store.ts';
import { type HelmInput, helmInput } from '../values/helm-input.ts';
import { sensitiveTexts } from '../values/sensitive-texts.ts';
import { DryRunRecord } from './dry-run-record.ts';
import { type Outcome, sealedOutcome, sealedRun } from './make-dry-runs.ts';
import { openText, sealText } from './sealed-text.ts';

export interface DryRunHandlersDeps {
  store: Pick<ReadingStore, 'dryRuns' | 'projected' | 'secrets' | 'resources'>;
  readers: ItemReaders;
  bus: Pick<Bus, 'call' | 'hints'>;
  secretKeys: SecretKeys;
  ownUrl: string;
  log: Service['log'];
}

/** Placeholder id: a plan creates no task. */
const noTask = '00000000-0000-0000-0000-000000000000';

/** Operations for runners, which make the dry runs of plans. Only the answer to a claim has secrets in plain text. */
export const dryRunHandlers = (deps: DryRunHandlersDeps) => {
  const { store, secretKeys, bus, log } = deps;

  async function finish(claim: Claim, outcome: Outcome): Promise<void> {
    await store.dryRuns.finish(claim, sealText(secretKeys, sealedOutcome(claim.id), JSON.stringify(outcome)));
    bus.hints.send('dry_run_ended', claim.id);
  }

  return implement(dryRuns, {
    claim: async (_, { remainingMs }) => {
      const claimed = await store.dryRuns.claim();
      const { jobs, failed } = await completeClaimed(claimed ? [claimed] : [], {
        remainingMs,
        log,
        idOf: ({ id }) => ({ dry_run_id: id }),
        bugReason: internalError.inPlan,
        complete: (row, deadlineMs) => dryRunOf(deps, row, deadlineMs()),
      });
      for (const { row, because, reason } of failed) {
        await finish(row, { failure: { refused: because === 'refused', reason } });
      }
      return { dry_run: jobs[0] ?? null };
    },

    report: async ({ body: { task_id, fence, outcome } }) => {
      await finish({ id: task_id, fence }, outcome);
      return null;
    },
  });
};

async function dryRunOf(
  deps: DryRunHandlersDeps,
  { id, fence, within_ms, sealed_run }: ClaimedDryRun,
  deadlineMs: number,
): Promise<DryRun> {
  const record = DryRunRecord.parse(JSON.parse(openText(deps.secretKeys, sealedRun(id), sealed_run)));
  const { action, deployment_id, cluster_id, namespace, run, revision } = record;
  const input = run && (await inputOf(deps, run, deployment_id));
  return {
    task_id: id,
    fence,
    action,
    within_ms: Math.floor(within_ms),
    deployment_id,
    cluster_id,
    namespace,
    chart: input && {
      helm_chart_id: input.chart.id,
      digest: input.chart.digest ?? (await digestOf(deps, input.chart, deadlineMs)),
      version: input.chart.image_tag,
    },
    ...(run?.adopts && { adopts: true }),
    values: input?.values ?? {},
    secrets: input?.secrets ?? {},
    ...(input && { hosts: input.hosts, fields: input.fields }),
    confidential: [
      ...(input?.confidential ?? []),
      ...(input && run ? sensitiveTexts(input.chart.form, run.config) : []),
      ...(revision ? await confidentialOf(deps, revision, deployment_id) : []),
    ],
  };
}

const inputOf = ({ store, readers, secretKeys, ownUrl }: DryRunHandlersDeps, run: DeployRun, deploymentId: string) =>
  helmInput(
    { projected: store.projected, secrets: store.secrets, resources: store.resources, readers, secretKeys, ownUrl },
    { run, deploymentId, revisionId: noTask },
  );

/** The secrets of the installed revision, so that plans hide them. Empty if its chart or secrets are gone. */
async function confidentialOf(deps: DryRunHandlersDeps, revision: DeployRun, deploymentId: string): Promise<string[]> {
  const input = await inputOf(deps, revision, deploymentId).catch((error: unknown): HelmInput | null => {
    if (error instanceof AppError) return null;
    throw error;
  });
  if (!input) return [];
  const { secrets, confidential, chart } = input;
  const entries = Object.values(secrets).flatMap((keys) => Object.values(keys));
  return [...entries, ...confidential, ...sensitiveTexts(chart.form, revision.config)];
}

/** A plan stores nothing, not even the digest that the claim of a task stores. */
async function digestOf({ bus }: DryRunHandlersDeps, { id }: Chart, deadlineMs: number): Promise<string> {
  const { ensure } = chartArchives.operations;
  return (await bus.call(ensure, { body: { helm_chart_id: id } }, { deadlineMs })).digest;
}
