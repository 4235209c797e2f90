import type { Bus } from '@berth/shared/bus/bus';
import { type CallingDeployment, deploymentState } from '@berth/shared/contracts/resources/deployment-state';
import { AppError } from '@berth/shared/errors';

export interface CallingDeployments {
  /** Null where it was deleted. */
  find(id: string): Promise<CallingDeployment | null>;
}

/**
 * Deployments that call back, asked of `tasks` at every call: what they may do follows from their env and from being
 * enabled, so that a copy of them, which lags, would let one in that was just disabled.
 */
export const createCallingDeployments = ({ bus }: { bus: Pick<Bus, 'call'> }): CallingDeployments => ({
  async find(deployment_id) {
    const { now } = deploymentState.operations;
    const { deployment } = await bus.call(now, { body: { deployment_id } }).catch(unconfirmed);
    return deployment;
  },
});

function unconfirmed(error: unknown): never {
  if (!(error instanceof AppError) || error.status < 500) throw error;
  const words = 'Whether the deployment may call could not be confirmed: the service tasks does not answer. Try again';
  throw new AppError('unavailable', words, { cause: error });
}
