import { managedLabels } from '@berth/contracts/fields/kubernetes-names';
import type { DryRun, DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { ClusterAccess, Entered, ClusterEntry } from '../cluster/cluster-entry.ts';
import { taskCluster } from '../cluster/task-cluster.ts';
import type { ChartCache } from '../files/chart-cache.ts';
import { createTaskFolder } from '../files/task-folder.ts';
import { valuesYaml } from '../files/values-yaml.ts';
import type { HelmStarter } from '../helm/helm-starter.ts';
import { createKnownSecrets } from '../log/known-secrets.ts';
import type { TextFinder } from '../log/text-finder.ts';
import { foreignNamespace } from '../namespace/enter-namespace.ts';
import { readAutoscalers } from '../fields/read-owned.ts';
import { AccessRefused, permanent, transient } from '../outcome/task-failure.ts';
import { releasedManifest } from '../release/observe-release.ts';
import { untilAborted } from '@berth/service/waiting/until-aborted';
import { createKinds, type FindKind, namespaceIn } from '../cluster/api-kinds.ts';
import { readCapabilities } from './cluster/read-capabilities.ts';
import { readLive } from './cluster/read-live.ts';
import type { DesiredObject, Marked } from './diff/diff-manifests.ts';
import { isHook } from './diff/hooks.ts';
import { refusalsOf } from '../manifests/refusals-of.ts';
import { isLastingHook } from '../manifests/hook-events.ts';
import { keyOf, kubeObjectOf } from '../manifests/kube-object.ts';
import type { ParsedManifest } from '../manifests/parse-manifest.ts';
import { readFacts, readManifests } from '../manifests/read-manifests.ts';
import { namespaceObject } from './compare-sides.ts';
import { comparePlan } from './compare-plan.ts';
import type { PlanWork } from './plan-work.ts';
import { markedValues } from './marked/marked-values.ts';
import { releaseToAdopt } from './release-to-adopt.ts';
import { renderChart } from './render-chart.ts';
import { tryNew } from './try-new.ts';

export interface DryRunDeps {
  access: Pick<ClusterEntry, 'enter'>;
  charts: ChartCache;
  helm: HelmStarter;
  work: PlanWork;
  /** Parents of the folders of runs and of the discovery caches. */
  folders: { tasks: string; discovery: string };
}

export interface Limits {
  signal: AbortSignal;
  /** Milliseconds until nobody waits for the result any longer. */
  remainingMs: () => number;
}

/** Limited, since each object is read from the cluster. */
const mostObjects = 500;

/** Plans a release at its place: reads, renders and compares, without writing to the cluster. */
export async function dryRun(run: DryRun, deps: DryRunDeps, limits: Limits): Promise<DryRunResult> {
  return withAccess(run, deps, limits).catch((error: unknown) => {
    // The account may have been recreated meanwhile: retry once with new access.
    if (!(error instanceof AccessRefused) || limits.signal.aborted) throw error;
    return withAccess(run, deps, limits);
  });
}

async function withAccess(run: DryRun, deps: DryRunDeps, limits: Limits): Promise<DryRunResult> {
  const {
    state,
    access,
    cluster_roles,
    is_adopted = false,
    warnings = [],
  } = await untilAborted(deps.access.enter(run, limits.remainingMs()), limits.signal);
  if (state === 'foreign') return blockedBy(run);
  if (!access) throw transient(`The namespace ${run.namespace} is being deleted; try again when it is gone`);
  const result = await compare(
    run,
    {
      ...access,
      isThere: state === 'entered',
      isAdopted: is_adopted,
      granted: cluster_roles,
      warnings,
    },
    deps,
    limits,
  );
  // Left out if empty: the previous version of tasks does not know the field.
  return cluster_roles.length > 0 ? { ...result, cluster_roles } : result;
}

/** `isThere`: the namespace exists; otherwise nothing in it is read. `granted`: the ClusterRoles that a deploy would bind. */
type PlanAccess = ClusterAccess & {
  isThere: boolean;
  /** The namespace was there before the deployment, and stays. */
  isAdopted: boolean;
  granted: Entered['cluster_roles'];
  warnings: readonly string[];
};

async function compare(run: DryRun, access: PlanAccess, deps: DryRunDeps, limits: Limits): Promise<DryRunResult> {
  // A dry run has no claim that permits writes.
  const { client } = taskCluster(access, { lease: { isLost: () => true }, signal: limits.signal });
  const { isThere, isShared } = access;
  const released = isThere ? await installedManifest(run, client, deps, limits) : null;
  const isUpgrade = released !== null;

  const secrets = await createKnownSecrets(run);
  secrets.add(access.credentials);
  const rendering = { limits, isUpgrade, secrets: secrets.texts() };
  const [rendered, withMarkers] =
    run.action === 'deploy'
      ? await Promise.all([render(run, access, deps, rendering), renderMarked(run, access, deps, rendering)])
      : ['', null];
  const sides = await readSides(
    run,
    { released: released ?? '', rendered, withMarkers },
    { access, work: deps.work, limits },
  );
  if (run.adopts && !sharesObjects(sides))
    throw permanent(
      `The Helm release ${run.namespace} is of another chart: it has no object in common with the chart of the deployment`,
    );
  const { api, granted } = access;
  const place = { namespace: run.namespace, isThere, isUpgrade, isGrantUnbound: granted.length > 0 };
  const tried = rendered === '' ? [] : await tryNew(sides, place, { api, ...limits });
  const autoscalers = run.fields && rendered !== '' ? await readAutoscalers(run.namespace, client) : null;
  const refused = rendered === '' ? [] : await refusals(run, client, { rendered, access }, deps, limits);
  const { action, namespace: name, secrets: ofRun, confidential } = run;
  return comparePlan(
    {
      ...sides,
      run: { action, namespace: name, secrets: ofRun, confidential },
      credentials: access.credentials,
      isThere,
      isAdopted: access.isAdopted,
      takesOver: run.adopts ? access.warnings : null,
      isUpgrade,
      refused,
      tried,
      fields: run.fields ? { keep: run.fields.keep, autoscalers } : null,
      isShared,
    },
    { work: deps.work, owner: run.deployment_id, signal: limits.signal },
  );
}

/** The manifest that the release has now; of one that is to be adopted, only if nothing else manages it. */
async function installedManifest(
  { adopts, namespace, deployment_id: owner }: DryRun,
  client: ClusterClient,
  { work }: Pick<DryRunDeps, 'work'>,
  { signal }: Limits,
): Promise<string | null> {
  const adopted = adopts ? await releaseToAdopt(namespace, client, { work, owner, signal }) : null;
  return adopted ? adopted.manifest : releasedManifest(client, namespace);
}

const sharesObjects = ({ old, next }: { old: readonly DesiredObject[]; next: readonly DesiredObject[] }): boolean => {
  const known = new Set(old.map(keyOf));
  return next.some((object) => known.has(keyOf(object)));
};

/** The objects of the installed release, those of the new manifest with Berth's Secrets, and the live state of all of them. */
async function readSides(
  run: DryRun,
  { released, rendered, withMarkers }: { released: string; rendered: string; withMarkers: MarkedText },
  { access: { api, isThere }, work, limits: { signal } }: { access: PlanAccess; work: PlanWork; limits: Limits },
) {
  const isMarked = withMarkers !== null && withMarkers !== 'unknown';
  const texts = [released, rendered, ...(isMarked ? [withMarkers.text] : [])];
  const parsed = await readManifests(texts, { work, owner: run.deployment_id, signal });
  const [before = [], after = [], other = []] = parsed.map(objectsOf);
  if (Math.max(before.length, after.length, other.length) > mostObjects)
    throw permanent(`A release of more than ${mostObjects} objects is not compared`);
  const findKind = createKinds({ api, signal });
  const inPlace = (objects: readonly DesiredObject[]) =>
    Promise.all(objects.map((object) => placed(object, run.namespace, findKind)));
  const old = await inPlace(before);
  const next = [...(await inPlace(after)), ...ownSecrets(run)];
  const isReadable = ({ namespace }: DesiredObject) => isThere || namespace !== run.namespace;
  const compared = [...old, ...next.filter((object) => !isHook(object) || isLastingHook(object))].filter(isReadable);
  const live = await readLive(compared, findKind, { api, signal });
  const marked: Marked = isMarked ? await inPlace(other) : (withMarkers ?? 'nothing');
  return { old, next, live, marked, unreadable: parsed.slice(0, 2).reduce((sum, one) => sum + one.unreadable, 0) };
}

/** The objects for which the same deploy would be refused. */
async function refusals(
  { namespace, hosts, deployment_id: owner }: DryRun,
  client: ClusterClient,
  { rendered, access: { isThere, isShared, granted } }: { rendered: string; access: PlanAccess },
  { work }: Pick<DryRunDeps, 'work'>,
  { signal }: Limits,
) {
  const facts = await readFacts(rendered, { work, owner, signal });
  const unbound = granted.map(({ scope }) => scope);
  return refusalsOf(facts, { namespace, hosts, isAbsent: !isThere, unbound, isShared }, client);
}

/** A real deploy would be refused as well. */
const blockedBy = (run: DryRun): DryRunResult => ({
  objects: [namespaceObject(run.namespace, 'blocked', foreignNamespace(run).message)],
  hooks: [],
  unchanged: 0,
  cut: { objects: 0, fields: 0, values: 0, hooks: 0 },
});

interface Rendering {
  limits: Limits;
  isUpgrade: boolean;
  /** Redacted from the reason of a failure. */
  secrets: TextFinder;
}

/** Null if the values do not contain secrets; `unknown` if the chart does not render with markers in their place. */
type MarkedText = { text: string } | 'unknown' | null;

/** The same rendering with markers in place of secrets: every difference was made from a secret, in any encoding. */
async function renderMarked(
  run: DryRun,
  access: PlanAccess,
  deps: DryRunDeps,
  rendering: Rendering,
): Promise<MarkedText> {
  const values = markedValues(run.values, run.confidential);
  if (values === null) return null;
  try {
    return { text: await render({ ...run, values }, access, deps, rendering) };
  } catch (error) {
    if (rendering.limits.signal.aborted || error instanceof AccessRefused) throw error;
    return 'unknown';
  }
}

/** Values and kubeconfig are in a private folder meanwhile, and never in arguments. */
async function render(
  run: DryRun,
  { kubeconfig, api, isThere }: PlanAccess,
  deps: DryRunDeps,
  { limits: { signal, remainingMs }, isUpgrade, secrets }: Rendering,
): Promise<string> {
  if (!run.chart) throw permanent('The dry run names no chart');
  const folder = createTaskFolder(deps.folders.tasks);
  try {
    const chart = await untilAborted(deps.charts.path(run.chart, run), signal);
    const files = {
      chart,
      kubeconfig: await folder.write('kubeconfig', kubeconfig),
      values: await folder.write('values.yaml', valuesYaml(run.values)),
    };
    return await renderChart(run, {
      helm: deps.helm,
      files,
      // A chart must not look around in a namespace that is not its own yet.
      capabilities: isThere && !run.adopts ? null : await readCapabilities(api, signal),
      folder: folder.path,
      discoveryCache: `${deps.folders.discovery}/${run.cluster_id}`,
      isUpgrade,
      secrets,
      deadlineMs: remainingMs(),
      signal,
    });
  } finally {
    await folder.remove();
  }
}

const objectsOf = (parsed: ParsedManifest): DesiredObject[] =>
  parsed.objects.flatMap(({ content, isCrdFile }) => {
    const object = kubeObjectOf(content);
    return object ? [{ ...object, isCrdFile }] : [];
  });

/** The object with the namespace in which Helm puts it. */
async function placed(object: DesiredObject, namespace: string, findKind: FindKind): Promise<DesiredObject> {
  return { ...object, namespace: namespaceIn(await findKind(object), object, namespace) };
}

/** The Secrets that Berth writes before Helm. */
const ownSecrets = ({ namespace, secrets }: DryRun): DesiredObject[] =>
  Object.entries(secrets).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace,
    name,
    isOurs: true,
    content: { type: 'Opaque', stringData, metadata: { labels: managedLabels } },
  }));
