import { isDeepStrictEqual } from 'node:util';
import { type Features, featuresOf } from '@berth/chart-extensions/files/features';
import { implement } from '@berth/bus/rpc/implement';
import type { ReportedStatus } from '@berth/contracts/resources/deployments/reported-status';
import { type StatusPoll, type StatusPollResult, statusPolls } from '@berth/contracts/resources/tasks/status-polls';
import { AppError } from '@berth/contracts/errors';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import type { Service } from '@berth/service/service';
import { completeClaimed } from '../completing/complete-claimed.ts';
import { parseOnce } from '../deployments/parse-once.ts';
import type { DuePoll } from '../store/queue/status-poll-repository.ts';
import type { TaskMetrics } from '../metrics/task-metrics.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';
import { hostOfCall } from '../values/call-of-deployment.ts';
import type { CallTokens } from './call-tokens.ts';

export interface StatusPollHandlersDeps {
  store: Pick<ReadingStore, 'statusPolls'>;
  inTransaction: InTransaction;
  callTokens: CallTokens;
  log: Service['log'];
  metrics: Pick<TaskMetrics, 'polled'>;
}

const parsedFeaturesOf = parseOnce((stored) => featuresOf(stored), { entries: 500, bytes: 1024 * 1024 });

/** Operations for runners, which poll the status of deployments. */
export const statusPollHandlers = (deps: StatusPollHandlersDeps) =>
  implement(statusPolls, {
    claim: async ({ body }, { remainingMs }) => {
      const due = await deps.store.statusPolls.claim(body);
      for (const { late_seconds } of due) deps.metrics.polled(late_seconds);
      const { jobs, failed } = await completeClaimed(due, {
        remainingMs,
        log: deps.log,
        idOf: ({ deployment_id }) => ({ deployment_id }),
        bugReason: internalError.inPoll,
        complete: (poll, deadlineMs) => pollOf(deps, poll, deadlineMs()),
      });
      // Other failures, such as a missing token, are due again when their lease expires.
      const results = failed
        .filter(({ error }) => error instanceof AppError && error.code === 'unprocessable')
        .map(({ row: { deployment_id, fence }, reason }) => ({
          deployment_id,
          fence,
          took_ms: 0,
          status: { error: reason },
        }));
      if (results.length > 0) await record(deps, results);
      return { polls: jobs };
    },
    report: async ({ body }) => {
      await deps.store.statusPolls.giveBack(body.not_made);
      if (body.results.length > 0) await record(deps, body.results);
      return null;
    },
  });

/** Null if its chart no longer has a status. */
async function pollOf(
  { callTokens }: StatusPollHandlersDeps,
  { deployment_id, fence, ...due }: DuePoll,
  deadlineMs: number,
): Promise<StatusPoll | null> {
  const { status } = featuresOfPoll(due.features);
  if (!status) return null;
  const host = hostOfCall(due);
  const token = await callTokens({ deployment_id, path: status.path }, deadlineMs);
  return { deployment_id, fence, call: { host, path: status.path, token } };
}

/** Features that only older rules accepted may no longer parse. */
function featuresOfPoll(stored: DuePoll['features']): Features {
  try {
    return parsedFeaturesOf(stored);
  } catch {
    throw new AppError('unprocessable', 'The features of its chart are not valid');
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
