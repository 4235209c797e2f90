import type { Bus } from '@berth/bus/bus';
import { limits } from '@berth/bus/protocol/limits';
import { type CallingDeployment, deploymentState } from '@berth/contracts/resources/deployments/deployment-state';
import { AppError } from '@berth/contracts/errors';

export interface CallingDeployments {
  /** Returns null if it was deleted. */
  find(id: string): Promise<CallingDeployment | null>;
}

/** The gateway waits two seconds: if tasks does not answer, there must be time left to refuse. */
const patienceMs = 1_000;
/** Each waiting call takes up one of the requests in flight. Users and bots need the others while tasks hangs. */
export const mostAtOnce = limits.requestsInFlight / 8;

/**
 * Deployments that call Berth, confirmed by `tasks` on every call. Their rights depend on their env and on being enabled; a
 * projection lags and would admit one that was just disabled.
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
  const words = 'The calling deployment could not be confirmed: the service tasks does not answer. Try again';
  return new AppError('unavailable', words, { cause });
};
