import { isDeepStrictEqual } from 'node:util';
import { type Features, featuresOf } from '@berth/chart-extensions/files/features';
import { implement } from '@berth/bus/rpc/implement';
import type { ReportedStatus } from '@berth/contracts/resources/deployments/reported-status';
import { type StatusPoll, type StatusPollResult, statusPolls } from '@berth/contracts/resources/tasks/status-polls';
import { AppError } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import { parseOnce } from '../deployments/parse-once.ts';
import type { DuePoll } from '../store/status-poll-repository.ts';
import type { TaskMetrics } from '../metrics/task-metrics.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';
import { ingressHost } from '../values/ingress-values.ts';
import type { CallTokens } from './call-tokens.ts';

export interface StatusPollHandlersDeps {
  store: Pick<ReadingStore, 'statusPolls'>;
  inTransaction: InTransaction;
  callTokens: CallTokens;
  log: Service['log'];
  metrics: Pick<TaskMetrics, 'polled'>;
}

const parsedFeaturesOf = parseOnce((stored) => featuresOf(stored), { entries: 500, bytes: 1024 * 1024 });

/** What runners call to poll the status of deployments. */
export const statusPollHandlers = (deps: StatusPollHandlersDeps) =>
  implement(statusPolls, {
    claim: async ({ body }, { remainingMs }) => {
      const due = await deps.store.statusPolls.claim(body);
      for (const { late_seconds } of due) deps.metrics.polled(late_seconds);
      const made = await Promise.all(due.map((poll) => pollOf(deps, poll, Math.max(100, remainingMs() - 300))));
      const failed = made.filter((poll) => poll !== null && 'status' in poll);
      if (failed.length > 0) await record(deps, failed);
      return { polls: made.filter((poll) => poll !== null && 'call' in poll) };
    },
    report: async ({ body }) => {
      await deps.store.statusPolls.giveBack(body.not_made);
      if (body.results.length > 0) await record(deps, body.results);
      return null;
    },
  });

/** Without a token the poll is skipped; it is due again when its lease is over. */
async function pollOf(
  { callTokens, log }: StatusPollHandlersDeps,
  due: DuePoll,
  deadlineMs: number,
): Promise<StatusPoll | StatusPollResult | null> {
  const { deployment_id, fence } = due;
  const features = readFeatures(due.features);
  if (!features)
    return { deployment_id, fence, took_ms: 0, status: { error: 'The features of its chart are not valid' } };
  const { status, ingress } = features;
  if (!status) return null;
  const { ingress_domain, deployment_name: name, namespace } = due;
  const cluster = { name: due.cluster_name, ingress_domain, ingress_class: null, ingress_tls_secret_name: null };
  try {
    const host = ingressHost({ cluster, name, namespace }, ingress.hostname_format);
    const token = await callTokens({ deployment_id, path: status.path }, deadlineMs);
    return { deployment_id, fence, call: { host, path: status.path, token } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'unprocessable') return { deployment_id, fence, took_ms: 0, status: { error: error.message } };
    log.debug({ err: error, deployment_id }, 'a status is not polled this time');
    return null;
  }
}

/** Null if only older rules accepted them: one such chart must not stop the polls of the others. */
function readFeatures(stored: DuePoll['features']): Features | null {
  try {
    return parsedFeaturesOf(stored);
  } catch {
    return null;
  }
}

async function record({ store, inTransaction }: StatusPollHandlersDeps, results: readonly StatusPollResult[]) {
  const polled = new Map(
    (await store.statusPolls.finish(results)).map(({ deployment_id, reported_status }) => [
      deployment_id,
      reported_status,
    ]),
  );
  for (const { deployment_id, status } of results) {
    const before = polled.get(deployment_id);
    if (before === undefined || isSame(before, status)) continue;
    await inTransaction(async ({ deployments, deploymentChanges }) => {
      const deployment = await deployments.lock(deployment_id);
      // A deployment that was disabled during the poll reports nothing.
      if (!deployment?.enabled || deployment.deleting || deployment.revision_id === null) return;
      await deploymentChanges.saveState({ ...deployment, reported_status: reportedNow(status) });
    });
  }
}

type Status = StatusPollResult['status'];

const reportedNow = (status: Status): ReportedStatus => ({
  timestamp: new Date().toISOString(),
  get_successful: 'content' in status,
  content: 'content' in status ? status.content : null,
  error: 'error' in status ? status.error : null,
});

const isSame = (before: ReportedStatus | null, status: Status): boolean =>
  before !== null &&
  ('content' in status
    ? isDeepStrictEqual(before.content, status.content)
    : !before.get_successful && before.error === status.error);
