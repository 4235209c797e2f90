import { type Action, actionsOf } from '@berth/chart-extensions/files/actions';
import { type Chart, findChart, unfitChart } from '../deployments/chart.ts';
import { parseOnce } from '../deployments/parse-once.ts';
import { actionPath } from '../engine/operations/invoke-action.ts';
import { unfit } from '../errors/refuse.ts';
import type { ProjectionRepository } from '../store/projection-repository.ts';

const parsedActionsOf = parseOnce((stored) => actionsOf(stored), { entries: 200, bytes: 4 * 1024 * 1024 });

export interface FoundAction {
  chart: Chart;
  action: Action;
}

export interface ActionName {
  helm_chart_id: string;
  action_id: string;
}

/** Finds an action of a chart; throws 422 if it does not exist or cannot be called. */
export async function findAction(
  projected: Pick<ProjectionRepository, 'chart'>,
  { helm_chart_id, action_id }: ActionName,
): Promise<FoundAction> {
  const paths = { helm_chart_id: `${actionPath}.helm_chart_id` };
  const chart = await findChart(projected, helm_chart_id, paths);
  if (!chart.parsedFeatures.ingress.enabled) {
    throw unfitChart(helm_chart_id, paths, 'the chart has no ingress, so it cannot be called');
  }
  const action = chart.actions_schema && parsedActionsOf(chart.actions_schema).find(({ id }) => id === action_id);
  if (!action) throw unfit(`${actionPath}.action_id`, 'the chart has no such action');
  return { chart, action };
}
