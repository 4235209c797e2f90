import type { DryRun, DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { untilAborted } from '@berth/service/waiting/until-aborted';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { taskCluster } from '../cluster/task-cluster.ts';
import { readAutoscalers } from '../fields/read-owned.ts';
import { createKnownSecrets } from '../log/known-secrets.ts';
import { readFacts } from '../manifests/read-manifests.ts';
import { refusalsOf } from '../manifests/refusals-of.ts';
import { foreignNamespace } from '../namespace/enter-namespace.ts';
import { AccessRefused, permanent, transient } from '../outcome/task-failure.ts';
import { releasedManifest } from '../release/observe-release.ts';
import { comparePlan } from './compare-plan.ts';
import { namespaceObject } from './compare-sides.ts';
import type { DryRunDeps, Limits, PlanAccess } from './plan-context.ts';
import { readSides, sharesObjects } from './read-sides.ts';
import { releaseToAdopt } from './release-to-adopt.ts';
import { crdsOfRun, renderMarked, renderRun } from './render-run.ts';
import { tryNew } from './try-new.ts';

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

async function compare(run: DryRun, access: PlanAccess, deps: DryRunDeps, limits: Limits): Promise<DryRunResult> {
  // A dry run has no claim that permits writes.
  const { client } = taskCluster(access, { lease: { isLost: () => true }, signal: limits.signal });
  const { isThere, isShared } = access;
  const released = isThere ? await installedManifest(run, client, deps, limits) : null;
  const isUpgrade = released !== null;

  const secrets = await createKnownSecrets(run);
  secrets.add(access.credentials);
  const crds = run.action === 'deploy' ? await crdsOfRun(run, access, deps, { isUpgrade, limits }) : '';
  const rendering = { limits, isUpgrade, hasCrds: crds !== '', secrets: secrets.texts() };
  const [rendered, withMarkers] =
    run.action === 'deploy'
      ? await Promise.all([renderRun(run, access, deps, rendering), renderMarked(run, access, deps, rendering)])
      : ['', null];
  const sides = await readSides(
    run,
    { released: released ?? '', rendered, crds, withMarkers },
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
  const refused =
    rendered === '' ? [] : await refusals(run, client, { manifests: rendered, crds, access }, deps, limits);
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

/** The objects for which the same deploy would be refused. */
async function refusals(
  { namespace, hosts, deployment_id: owner }: DryRun,
  client: ClusterClient,
  { access: { isThere, isShared, granted }, ...rendered }: { manifests: string; crds: string; access: PlanAccess },
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
