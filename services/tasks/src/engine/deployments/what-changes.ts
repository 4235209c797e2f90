import { type JsonValue, sameJson } from '@berth/contracts/fields/json';

/** The facts that decide which tasks a change of a deployment needs. */
export interface DesiredDeployment {
  enabled: boolean;
  name: string;
  cluster_id: string;
  helm_chart_id: string;
  config: JsonValue;
  values_override: JsonValue;
}

export const isMoved = (before: DesiredDeployment, after: DesiredDeployment): boolean =>
  before.name !== after.name || before.cluster_id !== after.cluster_id;

export const isReconfigured = (before: DesiredDeployment, after: DesiredDeployment): boolean =>
  before.helm_chart_id !== after.helm_chart_id ||
  !sameJson(before.config, after.config) ||
  !sameJson(before.values_override, after.values_override);
