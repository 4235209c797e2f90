import { setTimeout as sleep } from 'node:timers/promises';
import { cutText } from '@berth/contracts/cut-text';
import { isJsonObject } from '@berth/contracts/fields/json';
import { KubeError } from '@berth/kube/kube-error';
import { namespaceIn, pathOfObject } from '../cluster/api-kinds.ts';
import type { ClusterReader, TaskCluster } from '../cluster/task-cluster.ts';
import type { HelmFiles } from '../helm/helm-arguments.ts';
import type { CrdObject } from '../manifests/crd-objects.ts';
import { definedBy, type ObjectFacts } from '../manifests/facts-of.ts';
import { readCrds, readFacts } from '../manifests/read-manifests.ts';
import { isDefined, refuseManyVersions } from '../manifests/refusals-of.ts';
import { permanent, TaskFailure, transient } from '../outcome/task-failure.ts';
import { renderChart } from '../plan/render-chart.ts';
import { type Readiness, readinessOf } from '../rollout/readiness.ts';
import { checkCrds } from './check-rendered.ts';
import type { RunContext } from './run-context.ts';

const renderMs = 60_000;
/** As long as Helm waits for definitions. */
const establishedMs = 60_000;
const pauseMs = 200;
const mostNamed = 20;
/** Each is a request. */
const mostObjects = 1_000;

/** An object of the folder crds at its place in the cluster. */
interface Placed extends CrdObject {
  path: string;
  /** This run has created it. */
  isNew: boolean;
}

/**
 * Creates the objects of the chart's folder crds that the cluster lacks, as Helm does with the first release. It never changes one that
 * exists: others may use the same definition.
 */
export async function createCrds(run: RunContext, cluster: TaskCluster, files: HelmFiles): Promise<void> {
  const { task, log, folder, stop, deps } = run;
  if (!task.chart || deps.crds.isEmpty(task.chart)) return;
  const crds = await deps.crds.read({ chart: task.chart, file: files.chart, folder: folder.path, signal: stop });
  if (crds === '') return;

  const limits = { work: deps.work, owner: task.deployment_id, signal: stop };
  const shown = await readFacts({ manifests: crds, crds }, limits);
  refuseManyVersions(shown.objects);
  const reader = cluster.reader(stop);
  const place = { isShared: cluster.isShared, findKind: reader.findKind, mayCreate: cluster.client.mayCreate };
  const defined = await Promise.all(shown.objects.map((object) => isDefined(object, reader.findKind)));
  if (defined.every(Boolean)) {
    await checkCrds(run, place, { ...shown, text: crds });
    if (defined.length === 0) return;
    return log.say('the cluster has all definitions of the folder crds; they stay as they are');
  }
  const manifests = await rendered(run, cluster, { files, crds });
  const enabled = await readCrds({ manifests, crds }, limits);
  if (enabled.length > mostObjects) throw permanent(`The folder crds has more than ${mostObjects} objects`);
  await checkCrds(run, place, { ...shown, objects: enabled.map(({ facts }) => facts), text: crds });

  const created: Placed[] = [];
  const existing: Placed[] = [];
  for (const object of await Promise.all(enabled.map((one) => placed(one, reader, task.namespace)))) {
    const isThere = await isDefined(object.facts, reader.findKind);
    (!isThere && (await create(object, cluster)) ? created : existing).push(object);
  }
  if (created.length > 0) log.say(`created from the folder crds: ${namesOf(created)}`);
  if (existing.length > 0)
    log.say(`the cluster has these of the folder crds, and they stay as they are: ${namesOf(existing)}`);
  await awaitServed([...created.map(asNew), ...existing], cluster, stop);
}

const asNew = (object: Placed): Placed => ({ ...object, isNew: true });

/**
 * Only a rendering says which subcharts the values enable. It does not read the cluster, since Helm would refuse objects of kinds that
 * are not defined yet. A chart that does not render like this gets all files.
 */
async function rendered(
  run: RunContext,
  cluster: TaskCluster,
  { files, crds }: { files: HelmFiles; crds: string },
): Promise<string> {
  const { task, log, folder, stop, deps } = run;
  try {
    return await renderChart(task, {
      helm: deps.helm,
      files,
      isUpgrade: false,
      capabilities: await cluster.capabilities(),
      folder: folder.path,
      discoveryCache: `${deps.folders.discovery}/${task.cluster_id}`,
      secrets: run.secrets.texts(),
      deadlineMs: renderMs,
      signal: stop,
    });
  } catch (error) {
    stop.throwIfAborted();
    if (!(error instanceof TaskFailure) || error.kind !== 'permanent') throw error;
    log.say('the chart does not render without the cluster, so the definitions of all its subcharts are created');
    return crds;
  }
}

async function placed(object: CrdObject, { findKind }: ClusterReader, releaseNamespace: string): Promise<Placed> {
  const { facts } = object;
  const kind = await findKind(facts);
  const path = kind && pathOfObject(kind, { ...facts, namespace: namespaceIn(kind, facts, releaseNamespace) });
  if (path === null) throw permanent(`The cluster does not know ${shown(facts)} of the folder crds`);
  return { ...object, path, isNew: false };
}

/** False if it exists already. */
async function create({ path, yaml, facts }: Placed, { client }: TaskCluster): Promise<boolean> {
  try {
    return await client.createObject(path, yaml);
  } catch (error) {
    const { cause } = error instanceof TaskFailure ? error : {};
    // The files are as public as the chart, so the words of the cluster may quote them.
    if (!(cause instanceof KubeError) || ![400, 403, 422].includes(cause.status)) throw error;
    throw permanent(`The cluster refuses ${shown(facts)} of the folder crds: ${cutText(cause.message, 400)}`, cause);
  }
}

/** Waits until objects of the kinds that they define can be applied; one after the other, since a chart may bring hundreds. */
async function awaitServed(objects: readonly Placed[], cluster: TaskCluster, stop: AbortSignal): Promise<void> {
  const until = performance.now() + establishedMs;
  const left = objects.filter(({ facts }) => facts.defines);
  // A reader remembers the kinds of the cluster, so each check needs a new one.
  for (let reader = cluster.reader(stop), [next] = left; next; [next] = left) {
    const { is, says } = await servedIn(reader, next);
    if (is === 'ready') {
      left.shift();
      continue;
    }
    if (is === 'failed') throw permanent(`${shown(next.facts)} of the folder crds cannot be used: ${says}`);
    if (performance.now() > until)
      throw transient(
        `${shown(next.facts)} of the folder crds was not ready after ${establishedMs / 1_000} s: ${says}`,
      );
    await sleep(pauseMs, undefined, { signal: stop });
    reader = cluster.reader(stop);
  }
}

async function servedIn(
  reader: ClusterReader,
  { path, facts, isNew }: Placed,
): Promise<{ is: Readiness['is']; says: string }> {
  const { apiVersion, kind } = facts;
  const found = await reader.readObject(path);
  // Null for an account that may create definitions but not read them: it only asks for the kinds.
  const live = isJsonObject(found) ? found : null;
  const readiness: Readiness = live ? readinessOf({ ...live, apiVersion, kind }, Date.now()) : { is: 'ready' };
  if (readiness.is !== 'ready') return readiness;
  // One that exists may have other versions.
  const spec = live?.['spec'];
  const defines = live ? definedBy(kind, isJsonObject(spec) ? spec : {}) : isNew ? facts.defines : null;
  const isServed = !defines || defines.apiVersions.length === 0 || (await isDefined({ defines }, reader.findKind));
  return isServed ? { is: 'ready', says: '' } : { is: 'waiting', says: 'the cluster does not list its kind yet' };
}

const shown = ({ kind, name }: Pick<ObjectFacts, 'kind' | 'name'>): string => cutText(`${kind} ${name}`, 300);

function namesOf(objects: readonly Placed[]): string {
  const names = objects.slice(0, mostNamed).map(({ facts }) => cutText(facts.name, 253));
  const more = objects.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
