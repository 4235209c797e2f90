import { cutText } from '@berth/contracts/cut-text';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import { type DryRun, dryRuns } from '@berth/contracts/resources/tasks/dry-runs';
import { AppError } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import type { ItemReaders } from '../collections/find-items.ts';
import type { Chart } from '../deployments/chart.ts';
import type { DeployRun } from '../records/task-run.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';
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

/** Of a task that is not made: whatever names it is no real change. */
const noTask = '00000000-0000-0000-0000-000000000000';

/** What runners call to make the dry runs of plans. The answer to a claim is the one message with secrets in clear. */
export const dryRunHandlers = (deps: DryRunHandlersDeps) => {
  const { store, secretKeys, bus, log } = deps;

  async function finish(id: string, fence: number, outcome: Outcome): Promise<void> {
    await store.dryRuns.finish(id, fence, sealText(secretKeys, sealedOutcome(id), JSON.stringify(outcome)));
    bus.hints.send('dry_run_ended', id);
  }

  return implement(dryRuns, {
    claim: async (_, { remainingMs }) => {
      const row = await store.dryRuns.claim();
      if (!row) return { dry_run: null };
      const { id, fence, sealed_run, within_ms } = row;
      try {
        const record = DryRunRecord.parse(JSON.parse(openText(secretKeys, sealedRun(id), sealed_run)));
        const deadlineMs = Math.max(100, remainingMs() - 500);
        return { dry_run: await dryRunOf(deps, { id, fence, within_ms: Math.floor(within_ms) }, record, deadlineMs) };
      } catch (error) {
        const isKnown = error instanceof AppError;
        if (!isKnown) log.error({ err: error, dry_run_id: id }, 'a claimed dry run could not be completed');
        const reason = isKnown ? cutText(error.message, 500) : 'An internal error of the platform interrupted the plan';
        await finish(id, fence, { failure: { refused: isKnown && error.status < 500, reason } });
        return { dry_run: null };
      }
    },

    report: async ({ body: { task_id, fence, outcome } }) => {
      await finish(task_id, fence, outcome);
      return null;
    },
  });
};

async function dryRunOf(
  deps: DryRunHandlersDeps,
  { id, fence, within_ms }: { id: string; fence: number; within_ms: number },
  { action, deployment_id, cluster_id, namespace, run, revision }: DryRunRecord,
  deadlineMs: number,
): Promise<DryRun> {
  const input = run && (await inputOf(deps, run, deployment_id));
  return {
    task_id: id,
    fence,
    action,
    within_ms,
    deployment_id,
    cluster_id,
    namespace,
    chart: input && {
      helm_chart_id: input.chart.id,
      digest: input.chart.digest ?? (await digestOf(deps, input.chart, deadlineMs)),
      version: input.chart.image_tag,
    },
    values: input?.values ?? {},
    secrets: input?.secrets ?? {},
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

/** What must not be shown of what runs now. Where its chart or its secrets are gone, nobody can know. */
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

/** A plan keeps nothing, not even the digest that a claim of a task would keep. */
async function digestOf({ bus }: DryRunHandlersDeps, { id }: Chart, deadlineMs: number): Promise<string> {
  const { ensure } = chartArchives.operations;
  return (await bus.call(ensure, { body: { helm_chart_id: id } }, { deadlineMs })).digest;
}
