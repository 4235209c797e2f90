import { sameJson } from '@berth/contracts/fields/json';
import type { DeployRun } from '../../records/task-run.ts';
import type { DeploymentRecord } from '../../records/deployment-record.ts';

/** How a run differs from the wanted deployment, in words; empty if it does not. */
export function differences(run: DeployRun, wanted: DeploymentRecord): string[] {
  const same = {
    cluster: run.cluster_id === wanted.cluster_id,
    namespace: run.namespace === wanted.namespace,
    chart: run.helm_chart_id === wanted.helm_chart_id,
    config: sameJson(run.config, wanted.config),
    values_override: sameJson(run.values_override, wanted.values_override),
  };
  return Object.entries(same).flatMap(([field, isSame]) => (isSame ? [] : [field]));
}
