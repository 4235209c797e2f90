import { Budget } from '@berth/chart-extensions/budget';
import { configReferences } from '@berth/chart-extensions/config-references';
import { inTurns } from '@berth/chart-extensions/in-turns';
import { outputParts, type OutputValues, type PropertyOf } from '@berth/chart-extensions/output-values';
import type { JsonObject } from '@berth/shared/contracts/json';
import { AppError } from '@berth/shared/errors';
import { findItems, type ItemReaders } from '../collections/find-items.ts';
import { type Chart, readChart } from '../deployments/chart.ts';
import type { SeenRepository } from '../store/projection-repository.ts';
import type { DeployRun } from '../records/task-run.ts';
import { resolvedByLayer } from './resolve-values.ts';

export interface HelmInput {
  chart: Chart;
  values: JsonObject;
  secrets: OutputValues['secrets'];
}

export interface HelmInputDeps {
  seen: SeenRepository;
  readers: ItemReaders;
  ownUrl: string;
}

/** What Helm gets for a snapshot: the snapshot itself, and what it points to as it is now. */
export async function helmInput(
  { seen, readers, ownUrl }: HelmInputDeps,
  { run, deploymentId, revisionId }: { run: DeployRun; deploymentId: string; revisionId: string },
): Promise<HelmInput> {
  const [cluster, seenChart] = await Promise.all([seen.clusterInEnv(run.cluster_id), seen.chart(run.helm_chart_id)]);
  if (!cluster) throw await noEnv(seen, run.cluster_id);
  if (!seenChart) throw new AppError('unprocessable', 'The chart of the deployment is not known any more');

  const { env } = cluster;
  // Without its form the config would go to the chart as it is, and everything would get the defaults of the chart.
  if (seenChart.error !== null) throw new AppError('unprocessable', `The chart has an error: ${seenChart.error}`);
  const chart = readChart(seenChart);
  const budget = new Budget();
  const outputs = await outputsOf(readers, { chart, run, envId: env.id, budget });
  const world = {
    env,
    cluster,
    deployment: { id: deploymentId, name: run.deployment_name, kind: run.kind, namespace: run.namespace },
    revisionId,
    ownUrl,
    features: chart.parsedFeatures,
    config: run.config,
    outputs: outputs?.values ?? null,
    override: run.values_override,
    budget,
  };
  const values = await inTurns(resolvedByLayer(world), budget);
  return { chart, values, secrets: outputs?.secrets ?? {} };
}

/** A new env may be heard of after its cluster: then the task is to be tried again. */
async function noEnv(seen: SeenRepository, clusterId: string): Promise<AppError> {
  return (await seen.envOfCluster(clusterId))
    ? new AppError('unavailable', 'The env of the cluster is not known yet')
    : new AppError('unprocessable', 'The cluster of the deployment has no env any more');
}

async function outputsOf(
  readers: ItemReaders,
  { chart: { form }, run: { config }, envId, budget }: { chart: Chart; run: DeployRun; envId: string; budget: Budget },
): Promise<OutputValues | null> {
  if (!form) return null;
  const itemOf = await findItems(readers, configReferences(form, config), envId);
  const propertyOf: PropertyOf = (reference, property) => {
    const item = itemOf(reference);
    return item && Object.hasOwn(item, property) ? item[property] : undefined;
  };
  return inTurns(outputParts(form, { config, propertyOf, budget }), budget);
}
