import type { DeploymentChanges, NewDeployment } from '@berth/contracts/resources/deployments/deployments';
import type { KindScope } from '@berth/contracts/access/rules';
import { sameJson } from '@berth/contracts/fields/json';
import { applyGiven } from '@berth/db/changes/apply-given';
import type { ItemReaders } from '../collections/find-items.ts';
import type { ReadingStore } from '../store/store.ts';
import { type Chart, checkChart, checkError, findChart, unfitChart } from './chart.ts';
import { checkConfig } from './check-config.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { VisibleEnvs } from '@berth/contracts/access/visible-envs';
import { deploymentPaths, type FieldPaths } from '../records/field-paths.ts';
import { releaseNameProblem } from '../engine/deployments/namespace-of.ts';
import { findCluster, findKind, findPlace, type Place } from './place.ts';
import { isMoved, isReconfigured } from '../engine/deployments/what-changes.ts';
import type { Reference } from '../records/reference.ts';
import { conflict, unfit } from '../errors/refuse.ts';

interface FitOptions {
  paths: FieldPaths;
  visible: VisibleEnvs;
  /** Namespaces that deployments may not use. */
  reserved: readonly string[];
  readers: ItemReaders;
}

interface Fit {
  after: DeploymentRecord;
  /** Null if they did not change. */
  references: Reference[] | null;
  kind: { id: string; name: string };
  chart: Chart;
}

/** The deployment as it would be after the changes; throws if that is not allowed (422, 409). Writes nothing. */
export async function fitChanges(
  store: ReadingStore,
  before: DeploymentRecord,
  changes: DeploymentChanges,
  options: FitOptions,
): Promise<Fit> {
  const { paths, readers } = options;
  const wanted = applyGiven(before, changes);
  const isEnabling = wanted.enabled && !before.enabled;
  const otherChart = wanted.helm_chart_id !== before.helm_chart_id;

  const kind = await findKind(store.projected, before.kind_id, paths.kind_id);
  const chart = await findChart(store.projected, wanted.helm_chart_id, paths);
  if (otherChart || isEnabling) checkChart(chart, kind.id, paths);
  if (otherChart && !isMoved(before, wanted)) checkCardinality(chart, wanted, paths);

  const after = isMoved(before, wanted) ? await moved(store, { before, wanted, kind, chart }, options) : wanted;
  const tooLong = after.enabled ? releaseNameProblem(after.namespace) : null;
  if (tooLong !== null) throw conflict(tooLong);
  await checkDependents(store, before, after);

  // Without a form, the config can neither be checked nor become values.
  const isReconfiguring = after.enabled && (isMoved(before, after) || isReconfigured(before, after));
  if (isReconfiguring) checkError(chart, paths);

  const sameConfig = sameJson(before.config, after.config) && !otherChart && before.env_id === after.env_id;
  const { form } = chart;
  const { config, env_id: envId } = after;
  const references =
    sameConfig && !isEnabling ? null : await checkConfig(readers, { form, config, envId, at: paths.config });
  return { after, references, kind, chart };
}

interface FitCreation extends Omit<FitOptions, 'paths'> {
  permit: (scope: KindScope) => unknown;
}

/** The parts of a new deployment; throws if it is not allowed (403, 422, 409). Writes nothing. */
export async function fitCreation(
  store: Pick<ReadingStore, 'projected' | 'deployments'>,
  { name, config, cluster_id, kind_id, helm_chart_id }: NewDeployment,
  { permit, visible, reserved, readers }: FitCreation,
): Promise<Omit<Fit, 'after'> & { place: Place; references: Reference[] }> {
  const paths = deploymentPaths;
  const cluster = await findCluster(store.projected, cluster_id, { visible, path: paths.cluster_id });
  const kind = await findKind(store.projected, kind_id, paths.kind_id);
  permit({ env_id: cluster.env_id, kind_id: kind.id });

  const chart = await findChart(store.projected, helm_chart_id, paths);
  checkChart(chart, kind.id, paths);
  const { form, parsedFeatures } = chart;
  const { cardinality } = parsedFeatures;
  const place = await findPlace(store.deployments, { id: null, name, kind, cluster, cardinality }, { paths, reserved });
  const wanted = { form, config, envId: place.env_id, at: paths.config };
  return { kind, chart, place, references: await checkConfig(readers, wanted) };
}

interface Move {
  before: DeploymentRecord;
  wanted: DeploymentRecord;
  kind: { id: string; name: string };
  chart: Chart;
}

/** Only a rename or move computes the namespace again. */
async function moved(
  store: ReadingStore,
  { before, wanted, kind, chart }: Move,
  { paths, visible, reserved }: FitOptions,
): Promise<DeploymentRecord> {
  const open = await store.tasks.open(before.id);
  if (open.some(({ effect }) => effect === 'moves')) {
    throw conflict('The deployment is being renamed or moved already; wait for that task or cancel it');
  }
  const cluster = await findCluster(store.projected, wanted.cluster_id, { visible, path: paths.cluster_id });
  const { cardinality } = chart.parsedFeatures;
  const place = await findPlace(
    store.deployments,
    { id: wanted.id, name: wanted.name, kind, cluster, cardinality },
    { paths, reserved },
  );
  return { ...wanted, ...place };
}

function checkCardinality(chart: Chart, { name }: DeploymentRecord, paths: FieldPaths): void {
  if (chart.parsedFeatures.cardinality === 'OnePerCluster' && name !== '') {
    throw unfitChart(chart.id, paths, 'the chart allows one deployment per cluster, without a name');
  }
  if (chart.parsedFeatures.cardinality === 'Many' && name === '') {
    throw unfit(paths.name, 'must not be empty with this chart');
  }
}

/** A referenced deployment may not be disabled or moved to another env: 409 naming its dependents (Specification, "Dependents"). */
async function checkDependents(store: ReadingStore, before: DeploymentRecord, after: DeploymentRecord): Promise<void> {
  const isDisabling = before.enabled && !after.enabled;
  const leavesEnv = before.env_id !== after.env_id;
  if (leavesEnv) await refuseWithResources(store, before);
  if (isDisabling || leavesEnv)
    await refuseWithDependents(store, before, isDisabling ? 'disabled' : 'moved to another env');
}

/** Resources stay in their env, and so do the deployments that refer to them. */
async function refuseWithResources(
  { resources }: Pick<ReadingStore, 'resources'>,
  { id, namespace }: DeploymentRecord,
): Promise<void> {
  const names = await resources.managedBy(id);
  if (names.length === 0) return;
  throw conflict(`${namespace} cannot be moved to another env while it manages resources: ${names.join(', ')}`);
}

export async function refuseWithDependents(
  { references }: Pick<ReadingStore, 'references'>,
  { id, namespace }: DeploymentRecord,
  what: 'disabled' | 'deleted' | 'moved to another env',
): Promise<void> {
  // Inputs refer to items of one env, so even deployments that use each other cannot be separated.
  const staysInEnv = what !== 'moved to another env';
  const users = await (staysInEnv
    ? references.enabledDependentsOutsideCircle(id)
    : references.enabledDependentsOfDeployment(id));
  const names = users.filter((user) => user.id !== id).map((user) => user.namespace);
  if (names.length === 0) return;
  throw conflict(`${namespace} cannot be ${what} while enabled deployments use it: ${names.join(', ')}`);
}
