import type { DeploymentHealth } from '@berth/contracts/resources/deployments/deployment-health';

type Told = Pick<DeploymentHealth, 'state' | 'causes'> | null;

/** Whether a change is published: another state, or another first cause. Messages change more often than their meaning. */
export const makesEvent = (before: Told, after: Told): boolean =>
  before?.state !== after?.state || firstCauseOf(before) !== firstCauseOf(after);

function firstCauseOf(health: Told): string {
  const first = health?.causes[0];
  return first ? `${first.kind} ${first.name} ${first.cause}` : '';
}
