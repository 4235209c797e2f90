import { Budget } from '@berth/chart-extensions/budget/budget';
import { type ConfigReference, configReferences } from '@berth/chart-extensions/config/config-references';
import { writeText } from '@berth/chart-extensions/budget/copy-json';
import { inTurns } from '@berth/chart-extensions/budget/in-turns';
import { outputParts, type OutputValues, type PropertyOf } from '@berth/chart-extensions/config/output-values';
import { inputsWith, propertiesRead } from '@berth/chart-extensions/form/outputs';
import type { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import { keptFieldsIn, mostKeptFields } from '@berth/contracts/resources/deployments/field-path';
import type { JsonObject } from '@berth/contracts/fields/json';
import { AppError } from '@berth/contracts/errors';
import { nextTurn } from '@berth/service/waiting/next-turn';
import { collectionKey } from '../collections/collection-key.ts';
import { findItems, type ItemOf, type ItemReaders } from '../collections/find-items.ts';
import { type Chart, readChart } from '../deployments/chart.ts';
import type { ProjectionRepository } from '../store/projection-repository.ts';
import type { DeployRun } from '../records/task-run.ts';
import { openResources, type OpenResourcesDeps } from '../secrets/open-resources.ts';
import { openSecrets, type OpenSecretsDeps } from '../secrets/open-secrets.ts';
import { textsIn } from '../secrets/sealed-props.ts';
import type { RouteHosts } from '@berth/contracts/resources/tasks/runner-tasks';
import { resolvedByLayer } from './resolve-values.ts';
import { routeHosts } from './route-hosts.ts';

export interface HelmInput {
  chart: Chart;
  values: JsonObject;
  secrets: OutputValues['secrets'];
  /** Secret values that the inputs use, except those that only `secrets` holds. */
  confidential: string[];
  hosts: RouteHosts;
  /** The fields that keep the value that others gave them, by the chart and by the values of the deployment. */
  fields: { keep: string[] };
}

export interface HelmInputDeps extends OpenSecretsDeps, OpenResourcesDeps {
  projected: ProjectionRepository;
  readers: ItemReaders;
  ownUrl: string;
}

/** The input for Helm: the snapshot with the present state of the items that it refers to. */
export async function helmInput(
  { projected, readers, ownUrl, ...opening }: HelmInputDeps,
  { run, deploymentId, revisionId }: { run: DeployRun; deploymentId: string; revisionId: string },
): Promise<HelmInput> {
  const [cluster, projectedChart] = await Promise.all([
    projected.clusterInEnv(run.cluster_id),
    projected.chart(run.helm_chart_id),
  ]);
  if (!cluster) throw await noEnv(projected, run.cluster_id);
  if (!projectedChart) throw new AppError('unprocessable', 'The chart of the deployment is no longer known');

  const { env } = cluster;
  // Without its form the config would be ignored and the chart's defaults deployed.
  const chart = readChart(projectedChart);
  if (chart.error !== null) throw new AppError('unprocessable', `The chart has an error: ${chart.error}`);
  const budget = new Budget();
  const outputs = await outputsOf({ readers, ...opening }, { chart, run, envId: env.id, budget });
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
  const values = await inTurns(resolvedByLayer(world), budget, nextTurn);
  const { enabled, hostname_format } = chart.parsedFeatures.ingress;
  const deployment = { name: run.deployment_name, namespace: run.namespace };
  const kept = [...(chart.parsedFeatures.fields?.keep ?? []), ...(keptFieldsIn(values) ?? [])];
  return {
    chart,
    values,
    fields: { keep: [...new Set(kept)].slice(0, mostKeptFields) },
    secrets: outputs?.secrets ?? {},
    confidential: outputs?.confidential ?? [],
    hosts: routeHosts({ cluster, deployment, format: enabled ? hostname_format : null, ownUrl }),
  };
}

/** The projection of a new env may arrive after that of its cluster; the task is then retried. */
async function noEnv(projected: ProjectionRepository, clusterId: string): Promise<AppError> {
  return (await projected.envOfCluster(clusterId))
    ? new AppError('unavailable', 'The env of the cluster is not known yet')
    : new AppError('unprocessable', 'The cluster of the deployment no longer has an env');
}

interface Outputs extends OutputValues {
  confidential: string[];
}

interface OutputsWanted {
  chart: Chart;
  run: DeployRun;
  envId: string;
  budget: Budget;
}

async function outputsOf(
  { readers, ...opening }: Pick<HelmInputDeps, 'readers'> & OpenSecretsDeps & OpenResourcesDeps,
  { chart: { form }, run: { config }, envId, budget }: OutputsWanted,
): Promise<Outputs | null> {
  if (!form) return null;
  const references = configReferences(form, config);
  const itemOf = await findItems(readers, references, envId);
  const contents = await openSecrets(opening, envId, idsOfContents(form, references));
  const hidden = await openResources(opening, envId, idsOfHidden(form, references, itemOf));
  const propertyOf: PropertyOf = (reference, property) => {
    const item = itemOf(reference);
    if (!item) return undefined;
    if (property === 'contents' && isSecret(reference)) return contents.get(reference.id);
    if (Object.hasOwn(item, property)) return item[property];
    const sensitive = isResource(reference) ? hidden.get(reference.id) : undefined;
    return sensitive && Object.hasOwn(sensitive, property) ? sensitive[property] : undefined;
  };
  const { values, secrets } = await inTurns(outputParts(form, { config, propertyOf, budget }), budget, nextTurn);
  const entries = new Set(Object.values(secrets).flatMap((keys) => Object.values(keys)));
  const inValues = new Set(textsIn(values));
  const opened = [...contents.values(), ...textsIn([...hidden.values()])];
  const confidential = opened.filter((text) => !entries.has(text) || inValues.has(text));
  for (const text of confidential) writeText(text, budget);
  return { values, secrets, confidential };
}

const isSecret = ({ collection }: ConfigReference): boolean => collectionKey(collection) === 'secrets';
const isResource = ({ collection }: ConfigReference): boolean => collectionKey(collection) === 'deployment_resources';

/** Opens only secrets that an output uses. */
function idsOfContents({ outputs }: Pick<ValuesUi, 'outputs'>, references: readonly ConfigReference[]): string[] {
  const inputs = inputsWith('contents', outputs);
  const ids = references.filter((reference) => inputs.has(reference.input) && isSecret(reference)).map(({ id }) => id);
  return [...new Set(ids)];
}

/** Resources of which an output uses a sealed property. */
function idsOfHidden(
  { outputs }: Pick<ValuesUi, 'outputs'>,
  references: readonly ConfigReference[],
  itemOf: ItemOf,
): string[] {
  const read = propertiesRead(outputs);
  const ids = references.filter(isResource).flatMap((reference) => {
    const item = itemOf(reference);
    const wanted = [...(read.get(reference.input) ?? [])];
    return item && wanted.some((property) => !Object.hasOwn(item, property)) ? [reference.id] : [];
  });
  return [...new Set(ids)];
}
