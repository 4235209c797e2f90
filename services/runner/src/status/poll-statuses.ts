import type { Bus } from '@berth/bus/bus';
import { type StatusPoll, type StatusPollResult, statusPolls } from '@berth/contracts/resources/tasks/status-polls';
import type { Loop, Service } from '@berth/service/service';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { CallFailed, type DeploymentClient } from '../calls/deployment-client.ts';
import type { RunnerMetrics } from '../metrics/runner-metrics.ts';
import { quickAndSlow } from '../work/lanes.ts';
import { workLoop } from '../work/work-loop.ts';
import { readStatus } from './read-status.ts';

const timeoutMs = 10_000;
const maxBytes = 32 * 1024;

export interface PollStatusesDeps {
  bus: Pick<Bus, 'call'>;
  log: Service['log'];
  deployments: Pick<DeploymentClient, 'call'>;
  metrics: Pick<RunnerMetrics, 'polled'>;
  /** Concurrent polls. */
  slots: number;
}

/** Polls the status of deployments that are due. */
export const pollStatuses = ({ bus, log, deployments, metrics, slots }: PollStatusesDeps): Loop => {
  async function poll({ deployment_id, fence, call }: StatusPoll, signal: AbortSignal): Promise<StatusPollResult> {
    const began = performance.now();
    const status = await statusOf(call, signal);
    const took_ms = Math.round(performance.now() - began);
    if (!signal.aborted) metrics.polled('content' in status ? 'ok' : 'failed', took_ms / 1_000);
    return { deployment_id, fence, took_ms, status };
  }

  async function statusOf(call: StatusPoll['call'], signal: AbortSignal): Promise<StatusPollResult['status']> {
    try {
      const answer = await deployments.call({ ...call, method: 'GET' }, { timeoutMs, maxBytes, signal });
      return readStatus(answer, call.token);
    } catch (error) {
      if (error instanceof CallFailed) return { error: error.message.slice(0, 500) };
      if (!signal.aborted) log.error({ err: error }, 'a poll failed because of a bug');
      return { error: internalError.inPoll };
    }
  }

  return workLoop<'quick' | 'slow', StatusPoll, StatusPollResult>({
    what: 'polls',
    log,
    lanes: quickAndSlow(slots),
    mostClaimed: 64,
    ahead: true,
    pollMs: 1_000,
    busyMs: 200,
    claim: async (lane, most) => {
      const body = { quick: 0, slow: 0, [lane]: most };
      return { jobs: (await bus.call(statusPolls.operations.claim, { body })).polls };
    },
    work: poll,
    report: (results) => bus.call(statusPolls.operations.report, { body: { results } }),
    giveBack: (polls, results) => {
      const not_made = polls.map(({ deployment_id, fence }) => ({ deployment_id, fence }));
      return bus.call(statusPolls.operations.report, { body: { results: [...results], not_made } });
    },
  });
};
