import { operations } from '../../engine/operations/index.ts';
import { conflict, refuseDeleted } from '../../errors/refuse.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';
import type { Variant } from '../../records/variant.ts';

/** A task that is not scheduled must fit the deployment's present state. */
export function refuseWrongState(variant: Variant, deployment: DeploymentRecord, hasOpenTasks: boolean): void {
  refuseDeleted(deployment);
  const refused = operations[variant].refusal(deployment, hasOpenTasks);
  if (refused !== null) throw conflict(refused);
}
