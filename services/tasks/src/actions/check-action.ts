import type { Action } from '@berth/chart-extensions/files/actions';
import { isJsonObject } from '@berth/contracts/fields/json';
import type { ItemReaders } from '../collections/find-items.ts';
import { checkConfig } from '../deployments/check-config.ts';
import { actionPath } from '../engine/operations/invoke-action.ts';
import type { InvokedAction } from '../engine/operations/operation.ts';
import { conflict, unfit } from '../errors/refuse.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { ReadingStore } from '../store/store.ts';
import { findAction } from './find-action.ts';
import { whyNotNow } from './why-not-now.ts';

export interface ActionWanted {
  deployment: DeploymentRecord;
  invoked: InvokedAction;
  /** Checked when the task starts, against the current chart and reported status, not those at the request. */
  isNow: boolean;
}

/** The action; throws if it does not fit the deployment, or the body does not fit the action's form (422, 409). */
export async function checkAction(
  { projected, tasks }: Pick<ReadingStore, 'projected' | 'tasks'>,
  readers: ItemReaders,
  { deployment, invoked, isNow }: ActionWanted,
): Promise<Action> {
  const { chart, action } = await findAction(projected, invoked);
  if (action.ui_schema) {
    const at = `${actionPath}.body`;
    if (!isJsonObject(invoked.body)) throw unfit(at, 'must be a JSON object: the values of the inputs of the action');
    await checkConfig(readers, { form: action.ui_schema, config: invoked.body, envId: deployment.env_id, at });
  }
  if (!isNow && invoked.helm_chart_id === deployment.helm_chart_id) return action;
  const running = await tasks.deployRunOf(deployment.revision_id);
  if (running?.helm_chart_id !== invoked.helm_chart_id) throw conflict('The deployment runs another chart');
  const why = isNow ? whyNotNow(action, chart.parsedFeatures, deployment.reported_status) : null;
  if (why !== null) throw conflict(why);
  return action;
}
