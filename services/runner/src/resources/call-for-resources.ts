import type { Bus } from '@berth/bus/bus';
import {
  type ResourceCall,
  type ResourceCallResult,
  resourceCalls,
} from '@berth/contracts/resources/tasks/resource-calls';
import type { Loop, Service } from '@berth/service/service';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { CallFailed, type DeploymentClient } from '../calls/deployment-client.ts';
import { finderOf } from '../log/known-secrets.ts';
import type { RunnerMetrics } from '../metrics/runner-metrics.ts';
import { quickAndSlow } from '../work/lanes.ts';
import { workLoop } from '../work/work-loop.ts';
import { type CallOutcome, outcomeOfAnswer } from './outcome-of-answer.ts';

const timeoutMs = 60_000;
/** Only the beginning of a failure's answer is needed. */
const maxBytes = 16 * 1024;

export interface CallForResourcesDeps {
  bus: Pick<Bus, 'call'>;
  log: Service['log'];
  deployments: DeploymentClient;
  metrics: Pick<RunnerMetrics, 'calledForResource'>;
  /** Maximum concurrent calls. */
  slots: number;
}

/** Calls deployments to create, update and delete the resources they manage. A call cut off at the end is repeated after its lease. */
export const callForResources = ({ bus, log, deployments, metrics, slots }: CallForResourcesDeps): Loop => {
  async function work({ resource_id, fence, call }: ResourceCall, signal: AbortSignal): Promise<ResourceCallResult> {
    const began = performance.now();
    const made = await callOne(call, signal);
    const took_ms = Math.min(Math.round(performance.now() - began), 600_000);
    if (!signal.aborted) metrics.calledForResource(made.outcome, took_ms / 1_000);
    return { resource_id, fence, took_ms, ...made };
  }

  async function callOne(
    { hidden, is_deletion, body, ...call }: ResourceCall['call'],
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const secrets = finderOf([call.token, ...hidden]);
    try {
      const limits = { timeoutMs, maxBytes, beginningSuffices: true, signal };
      const answer = await deployments.call({ ...call, body: body ?? undefined }, limits);
      return outcomeOfAnswer(answer, { isDeletion: is_deletion, secrets });
    } catch (error) {
      if (error instanceof CallFailed) return { outcome: 'Retry', reason: error.message.slice(0, 500) };
      if (!signal.aborted) log.error({ err: error }, 'a call for a resource failed because of a bug');
      return { outcome: 'Retry', reason: internalError.inCall };
    }
  }

  return workLoop<'quick' | 'slow', ResourceCall, ResourceCallResult>({
    what: 'calls for resources',
    log,
    lanes: quickAndSlow(slots),
    mostClaimed: 3,
    pollMs: 1_000,
    busyMs: 200,
    claim: async (lane, most) => {
      const { calls } = await bus.call(resourceCalls.operations.claim, { body: { lane, places: most } });
      return { jobs: calls };
    },
    work,
    report: (results) => bus.call(resourceCalls.operations.report, { body: { results } }),
  });
};
