import type { EnteredNamespace } from '@berth/contracts/resources/clusters/deployment-namespaces';
import { managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { cutText } from '@berth/contracts/cut-text';
import { AppError } from '@berth/contracts/errors';
import { KubeError } from '@berth/kube/kube-error';
import { bindDeployer } from '../access/bind-deployer.ts';
import { deployerAccount, deployerRoleName } from '../access/deployer-account.ts';
import { type AccessDeps, type AccessPlace, issueAccess } from '../access/issue-access.ts';
import type { ClaimedPlace } from '../claims/claimed-place.ts';
import { roleBinding } from '../bindings/role-binding.ts';
import type { BindGrants, BoundGrants } from '../grants/bind-grants.ts';
import { bindingOfGrant, folderOfBinding } from '../grants/granted-binding.ts';
import type { FoundNamespace } from '../namespaces/found-namespace.ts';
import { namespacePath } from '../namespaces/read-namespace.ts';
import type { BindingRepository } from '../grants/binding-repository.ts';
import type { NamespaceRepository } from '../namespaces/namespace-repository.ts';
import { type PodSecurityLevel, podSecurityLabels, weakestLevel } from '../namespaces/pod-security.ts';
import { findOrMake, type Placed } from './find-or-make.ts';
import { takeFence } from './take-fence.ts';

export interface EnterDeps extends AccessDeps {
  readonly namespaceRepository: Pick<NamespaceRepository, 'find' | 'insert' | 'replace'>;
  readonly bindingRepository: Pick<BindingRepository, 'grantedTo' | 'recordBrief'>;
  readonly bindGrants: BindGrants;
  readonly podSecurity: PodSecurityLevel;
  /** Transition: whether the deployments of a cluster, by `provider_id`, share one account. */
  sharesAccount(providerId: string): boolean;
}

export interface Entering {
  readonly task_id: string;
  readonly fence: number;
  readonly needed_seconds: number;
  /** Throws when the claim is over. */
  confirm(): Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Context of the steps of one entry. */
interface Entry extends Entering {
  readonly deps: EnterDeps;
  readonly claim: ClaimedPlace['claim'];
  readonly place: AccessPlace;
}

type InOwn = Extract<Placed, { state: 'entered' }>;
const noGrants: BoundGrants = { clusterRoles: [], refused: [], podSecurity: null };

/**
 * Creates or finds the namespace of a claim, and issues access that is limited to it. A person may be waiting, so steps run
 * concurrently if possible.
 */
export async function enterNamespace(
  deps: EnterDeps,
  { claim, providerId, connection: { api, access } }: ClaimedPlace,
  entering: Entering,
): Promise<EnteredNamespace> {
  const place = { clusterId: claim.cluster_id, api, access, isShared: deps.sharesAccount(providerId) };
  const entry: Entry = { ...entering, deps, claim, place };
  const unfit = whyUnfit(claim, deps);
  // Nothing was ever let in there, so there is nothing to remove.
  if (unfit && claim.task?.action === 'uninstall') return answer(entry, 'foreign', { is_replaced: true });
  if (unfit) throw unfit;
  if (claim.adopts) await refuseWithClusterRoles(entry);
  if (!claim.task) return enterForPlan(entry);

  // Started early: most tasks need it, and it does not depend on the namespace.
  const issuing = issue(entry, { isWithoutRights: false });
  issuing.catch(() => undefined);
  const placed = await findOrMake({ ...deps, api, signal: entering.signal }, wantedBy(entry));
  if (placed.state === 'absent' && claim.adopts) throw missing(claim);
  if (placed.state === 'adoptable') throw new Error('only a dry run compares before it adopts');
  if (placed.state !== 'entered') return answer(entry, placed.state, { is_replaced: placed.isReplaced });

  const granting = grant(entry);
  const [issued, bound] = await Promise.all([
    issuing,
    granting,
    bind(entry, placed),
    fence(entry, placed, granting),
    placed.learned,
  ]);
  return answer(entry, 'entered', { is_new: placed.isNew, is_adopted: placed.isAdopted, access: issued, bound });
}

/** Helm does what the records of a release say, and of a release to adopt others wrote them: with these rights it would do so anywhere. */
async function refuseWithClusterRoles({ deps, claim: { cluster_id, kind_id, namespace } }: Entry): Promise<void> {
  const granted = await deps.bindingRepository.grantedTo(cluster_id, kind_id);
  const [wide] = granted.filter(({ scope }) => scope === 'Cluster');
  if (!wide) return;
  throw new AppError(
    'conflict',
    `The release ${namespace} cannot be adopted while its kind is granted ${wide.cluster_role} in the whole cluster: revoke the grant, adopt the release, and grant it again after its first deploy`,
  );
}

/** A plan does not create a namespace, and its token has no rights at all while there is none. */
async function enterForPlan(entry: Entry): Promise<EnteredNamespace> {
  const { deps, claim, place, signal } = entry;
  const [placed, clusterRoles] = await Promise.all([
    findOrMake({ ...deps, api: place.api, signal }, wantedBy(entry)),
    place.isShared ? [] : deps.bindingRepository.grantedTo(place.clusterId, claim.kind_id),
  ]);
  const { state } = placed;
  if (state === 'foreign' || state === 'terminating') return answer(entry, state, {});
  if (state === 'adoptable') return enterToCompare(entry, placed.found, clusterRoles);
  if (state === 'absent' && claim.adopts) throw missing(claim);
  const [issued] = await Promise.all([
    issue(entry, { isWithoutRights: state === 'absent' }),
    placed.state === 'entered' ? bind(entry, placed) : undefined,
    placed.state === 'entered' ? placed.learned : undefined,
  ]);
  const is_adopted = placed.state === 'entered' && placed.isAdopted;
  return answer(entry, state, { is_adopted, access: issued, bound: { ...noGrants, clusterRoles } });
}

/**
 * A dry run that compares a release before it is adopted. Its account is of this plan alone, and is bound for as long as the plan
 * may take; the binding is recorded first, so that it is removed whatever happens.
 */
async function enterToCompare(
  entry: Entry,
  { name }: FoundNamespace,
  clusterRoles: BoundGrants['clusterRoles'],
): Promise<EnteredNamespace> {
  const { deps, claim, place, signal, needed_seconds: seconds } = entry;
  const bindBriefly = async () => {
    if (place.isShared) return;
    const role = deployerRoleName(deps.deployersNamespace);
    const at = { clusterId: place.clusterId, namespace: name, deploymentId: claim.deployment_id };
    const binding = await deps.bindingRepository.recordBrief(at, { role, seconds });
    const wanted = roleBinding(bindingOfGrant(binding, accountOf(entry)));
    await place.api.postJson(folderOfBinding(binding), wanted, { signal, deadlineMs: 5_000 });
  };
  const labels = podSecurityLabels(deps.podSecurity, place.isShared);
  const [issued, , warnings] = await Promise.all([
    issue(entry, { isWithoutRights: false }),
    bindBriefly(),
    warningsOf(place.api, name, labels, signal),
  ]);
  return { ...answer(entry, 'entered', { access: issued, bound: { ...noGrants, clusterRoles } }), warnings };
}

/** What the cluster would warn of if the namespace had these labels, such as pods that it would no longer admit. */
async function warningsOf(
  api: AccessPlace['api'],
  name: string,
  labels: Readonly<Record<string, string | null>>,
  signal: AbortSignal,
): Promise<string[]> {
  const warnings: string[] = [];
  const call = { signal, deadlineMs: 5_000, onWarning: (text: string) => warnings.push(cutText(text, 500)) };
  await api.patchJson(`${namespacePath(name)}?dryRun=All`, { metadata: { labels } }, call);
  return warnings.slice(0, 10);
}

const missing = ({ namespace }: Entry['claim']) =>
  new AppError('unprocessable', `There is no namespace ${namespace} in the cluster, so there is no release to adopt`);

const wantedBy = ({ deps, claim, place, task_id, fence: number }: Entry) => ({
  clusterId: place.clusterId,
  name: claim.namespace,
  deployment_id: claim.deployment_id,
  task_id,
  fence: number,
  makes: claim.task?.action === 'deploy',
  isFirst: claim.task?.is_first ?? false,
  adopts: claim.adopts ?? false,
  deploymentName: claim.task?.deployment_name ?? '',
  kind: claim.task?.kind ?? '',
  hostname: claim.task?.hostname ?? null,
  labels: textsOf(podSecurityLabels(deps.podSecurity, place.isShared)),
});

const issue = (
  { deps, claim, place, needed_seconds, signal }: Entry,
  { isWithoutRights }: { isWithoutRights: boolean },
) => issueAccess(deps, place, { deploymentId: claim.deployment_id, seconds: needed_seconds, isWithoutRights, signal });

const accountOf = ({ deps, claim }: Entry) => deployerAccount(deps.deployersNamespace, claim.deployment_id);

async function bind(entry: Entry, { isNew }: InOwn): Promise<void> {
  const { claim, place, signal } = entry;
  if (place.isShared) return;
  const wanted = { account: accountOf(entry), namespace: claim.namespace, isNew };
  await bindDeployer(place.api, wanted, signal).catch((error: unknown) => {
    // Workloads can delete the RoleBinding and prevent a new one with a quota. The namespace is removed anyway.
    if (claim.task?.action !== 'uninstall' || !(error instanceof KubeError) || error.status !== 403) throw error;
  });
}

async function grant(entry: Entry): Promise<BoundGrants> {
  const { deps, claim, place, signal } = entry;
  if (place.isShared) return noGrants;
  const { deployment_id: deploymentId, kind_id: kindId, namespace } = claim;
  return deps.bindGrants({ ...place, deploymentId, kindId, namespace, account: accountOf(entry) }, signal);
}

async function fence(entry: Entry, { found, isAdopted }: InOwn, granting: Promise<BoundGrants>): Promise<void> {
  const { deps, claim, place } = entry;
  const { podSecurity } = await granting;
  const level = weakestLevel([deps.podSecurity, podSecurity]) ?? deps.podSecurity;
  if (claim.task?.action !== 'deploy')
    return takeFence(entry, { ...entry, api: place.api, found, labels: {}, annotations: {} });
  const labels = { ...podSecurityLabels(level, place.isShared), ...(isAdopted && managedLabels) };
  const annotations = {
    [namespaceAnnotations.hostname]: claim.task.hostname,
    ...(isAdopted && {
      [namespaceAnnotations.deploymentId]: claim.deployment_id,
      [namespaceAnnotations.deploymentName]: claim.task.deployment_name,
      [namespaceAnnotations.kind]: claim.task.kind,
      // Any mark: without one it would look like a namespace of the version before.
      [namespaceAnnotations.mark]: claim.deployment_id,
    }),
  };
  await takeFence(entry, { ...entry, api: place.api, found, labels, annotations });
}

interface Given {
  readonly is_replaced?: boolean;
  readonly is_new?: boolean;
  readonly is_adopted?: boolean;
  readonly access?: EnteredNamespace['access'];
  readonly bound?: BoundGrants;
}

const answer = (
  { place }: Entry,
  state: EnteredNamespace['state'],
  { is_new = false, is_adopted = false, is_replaced = false, access = null, bound = noGrants }: Given,
): EnteredNamespace => ({
  state,
  is_replaced,
  is_new,
  access,
  cluster_roles: [...bound.clusterRoles],
  refused_grants: [...bound.refused],
  is_shared_account: place.isShared,
  is_adopted,
});

function whyUnfit(
  { task, namespace }: Entry['claim'],
  { deployersNamespace, sharedAccount }: AccessDeps,
): AppError | null {
  if (task?.action === 'invoke')
    return new AppError('forbidden', 'A call into a deployment needs no access to its cluster');
  // A deployment in the namespace of the accounts would have the rights of all of them.
  const isOfCluster =
    [deployersNamespace, sharedAccount.namespace].includes(namespace) || namespace.startsWith('kube-');
  const words = `The namespace ${namespace} belongs to the cluster; choose another name for the deployment`;
  return isOfCluster ? new AppError('conflict', words) : null;
}

const textsOf = (labels: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
