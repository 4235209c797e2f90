import type { Bus } from '@berth/shared/bus/bus';
import { limits } from '@berth/shared/bus/limits';
import { type CallingDeployment, deploymentState } from '@berth/shared/contracts/resources/deployment-state';
import { AppError } from '@berth/shared/errors';

export interface CallingDeployments {
  /** Null where it was deleted. */
  find(id: string): Promise<CallingDeployment | null>;
}

/** A gateway waits for two seconds: when tasks does not answer, there must be time left to say so. */
const patienceMs = 1_000;
/** Each waiting question keeps one of the places for requests. Users and bots need the other half while tasks hangs. */
const mostAtOnce = limits.requestsInFlight / 2;

/**
 * Deployments that call back, asked of `tasks` at every call: what they may do follows from their env and from being
 * enabled, so that a copy of them, which lags, would let one in that was just disabled.
 */
export function createCallingDeployments({ bus }: { bus: Pick<Bus, 'call'> }): CallingDeployments {
  const { now } = deploymentState.operations;
  let waiting = 0;

  return {
    async find(deployment_id) {
      if (waiting >= mostAtOnce) throw unconfirmed();
      waiting += 1;
      try {
        const { deployment } = await bus.call(now, { body: { deployment_id } }, { deadlineMs: patienceMs });
        return deployment;
      } catch (error) {
        throw error instanceof AppError && error.status >= 500 ? unconfirmed(error) : error;
      } finally {
        waiting -= 1;
      }
    },
  };
}

const unconfirmed = (cause?: unknown) => {
  const words = 'Whether the deployment may call could not be confirmed: the service tasks does not answer. Try again';
  return new AppError('unavailable', words, { cause });
};
