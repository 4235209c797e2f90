import type { Deployment, DeploymentTask, JsonObject } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';
import { isSame } from './is-same.ts';

export interface DesiredDeployment {
  name: string;
  chartId: string;
  config: JsonObject;
  /** Null: the present one. */
  clusterId: string | null;
}

/** What only a flag permits. */
export interface Permitted {
  enable: boolean;
  move: boolean;
}

type Placed = Pick<Deployment, 'id' | 'cluster_id'>;

/**
 * The deployment that a command means, of those in the env with its kind and name; null if it means a new one. Names are unique per
 * cluster, so another cluster means another deployment, unless `move` is given. Candidates are said with the names of their clusters.
 */
export function deploymentMeant<D extends Placed>(
  found: readonly D[],
  { name, clusterId }: Pick<DesiredDeployment, 'name' | 'clusterId'>,
  { move }: Pick<Permitted, 'move'>,
  clusters: ReadonlyMap<string, string> = new Map(),
): D | null {
  const there = found.find(({ cluster_id }) => cluster_id === clusterId);
  if (there) return there;
  if (clusterId !== null && !move) return null;
  if (found.length < 2) return found[0] ?? null;
  const candidates = found
    .map(({ id, cluster_id }) => `\n  ${id} on cluster ${clusters.get(cluster_id) ?? cluster_id}`)
    .join('');
  const way = move ? 'delete one of them first' : 'give --cluster';
  throw new CliFailure('usage', `${found.length} deployments are named ${name}: ${way}${candidates}`);
}

type Present = Pick<Deployment, 'helm_chart_id' | 'config' | 'cluster_id' | 'enabled'>;

/** What has to change in an existing deployment. */
export function changeOf(
  present: Present,
  { name, chartId, config, clusterId }: DesiredDeployment,
  { enable }: Pick<Permitted, 'enable'>,
) {
  if (!present.enabled && !enable)
    throw new CliFailure('refused', `${name} is disabled, so nothing was done: berth deploy --enable also enables it`);
  return {
    ...(present.helm_chart_id !== chartId && { helm_chart_id: chartId }),
    ...(!isSame(present.config, config) && { config }),
    ...(clusterId !== null && present.cluster_id !== clusterId && { cluster_id: clusterId }),
    ...(!present.enabled && { enabled: true }),
  };
}

/** Whether a task brings a deployment to this chart and these inputs, so that its end is that of a deploy of them. */
export function deploysThis(
  { operation }: Pick<DeploymentTask, 'operation'>,
  { chartId, config }: Pick<DesiredDeployment, 'chartId' | 'config'>,
): boolean {
  const deploy = 'Install' in operation ? operation.Install : 'Upgrade' in operation ? operation.Upgrade : null;
  if (deploy) return deploy.helm_chart_id === chartId && isSame(deploy.config_inputs, config);
  // These deploy the present chart and inputs of the deployment.
  return 'Recreate' in operation || 'Reinstall' in operation;
}
