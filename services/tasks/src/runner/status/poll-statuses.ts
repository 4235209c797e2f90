import type { Bus } from '@berth/shared/bus/bus';
import { type StatusPoll, type StatusPollResult, statusPolls } from '@berth/shared/contracts/resources/status-polls';
import type { Loop, Service } from '@berth/shared/service/service';
import { createWakeUp } from '@berth/shared/waiting/wake-up';
import { internalError } from '../../errors/internal-error.ts';
import { CallFailed, type DeploymentClient } from '../calls/deployment-client.ts';
import type { RunnerMetrics } from '../run/runner-metrics.ts';
import { readStatus } from './read-status.ts';

const timeoutMs = 10_000;
const maxBytes = 32 * 1024;
const lookEveryMs = 1_000;
const gatherMs = 200;
const mostReported = 64;

export interface PollStatusesDeps {
  bus: Pick<Bus, 'call'>;
  log: Service['log'];
  deployments: DeploymentClient;
  metrics: Pick<RunnerMetrics, 'polled'>;
  /** Polls at the same time. A quarter of them are for deployments that took long the last time. */
  places: number;
}

/** Polls the status of deployments that are due, as many at a time as there are places. */
export const pollStatuses =
  ({ bus, log, deployments, metrics, places }: PollStatusesDeps): Loop =>
  async (signal) => {
    const running = { quick: 0, slow: 0 };
    const all = { slow: Math.ceil(places / 4), quick: places - Math.ceil(places / 4) };
    const results: StatusPollResult[] = [];
    const { wake, wait } = createWakeUp(signal);

    async function poll({ deployment_id, fence, call }: StatusPoll): Promise<void> {
      const began = performance.now();
      const status = await statusOf(call);
      const took_ms = Math.round(performance.now() - began);
      if (signal.aborted) return;
      metrics.polled('content' in status ? 'ok' : 'failed', took_ms / 1_000);
      results.push({ deployment_id, fence, took_ms, status });
    }

    async function statusOf(call: StatusPoll['call']): Promise<StatusPollResult['status']> {
      try {
        const answer = await deployments.call({ ...call, method: 'GET' }, { timeoutMs, maxBytes, signal });
        return readStatus(answer, call.token);
      } catch (error) {
        if (error instanceof CallFailed) return { error: error.message.slice(0, 500) };
        if (!signal.aborted) log.error({ err: error }, 'a poll failed because of a bug');
        return { error: internalError.inPoll };
      }
    }

    async function claim(lane: 'quick' | 'slow'): Promise<number> {
      const free = Math.min(all[lane] - running[lane], mostReported);
      if (free <= 0) return 0;
      const body = { quick: 0, slow: 0, [lane]: free };
      const { polls } = await bus.call(statusPolls.operations.claim, { body });
      for (const due of polls) {
        running[lane] += 1;
        void poll(due).finally(() => {
          running[lane] -= 1;
          wake();
        });
      }
      return polls.length;
    }

    /** What cannot be reported is polled again when its lease is over. */
    async function report(): Promise<void> {
      while (results.length > 0 && !signal.aborted) {
        const batch = results.splice(0, mostReported);
        await bus.call(statusPolls.operations.report, { body: { results: batch } }).catch((error: unknown) => {
          log.debug({ err: error, polls: batch.length }, 'polls could not be reported');
        });
      }
    }

    while (!signal.aborted) {
      await report();
      const claimed = await Promise.all([claim('quick'), claim('slow')]).then(
        (counts) => counts.some((count) => count > 0),
        (error: unknown) => {
          log.debug({ err: error }, 'no polls this time');
          return false;
        },
      );
      await wait(claimed || results.length > 0 || running.quick + running.slow > 0 ? gatherMs : lookEveryMs);
    }
  };
