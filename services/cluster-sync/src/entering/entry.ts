import type { EnteredNamespace } from '@berth/contracts/resources/clusters/deployment-namespaces';
import { AppError } from '@berth/contracts/errors';
import { KubeError } from '@berth/kube/kube-error';
import { bindDeployer } from '../access/bind-deployer.ts';
import { deployerAccount } from '../access/deployer-account.ts';
import { type AccessDeps, type AccessPlace, issueAccess } from '../access/issue-access.ts';
import type { ClaimedPlace } from '../claimed-places/claimed-place.ts';
import type { BindGrants, BoundGrants } from '../grants/bind-grants.ts';
import type { BindingRepository } from '../grants/binding-repository.ts';
import type { NamespaceRepository } from '../namespaces/namespace-repository.ts';
import { type PodSecurityLevel, podSecurityLabels } from '../namespaces/pod-security.ts';
import type { Placed } from './find-or-make.ts';

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
export interface Entry extends Entering {
  readonly deps: EnterDeps;
  readonly claim: ClaimedPlace['claim'];
  readonly place: AccessPlace;
}

export type InOwn = Extract<Placed, { state: 'entered' }>;
export const noGrants: BoundGrants = { clusterRoles: [], refused: [], podSecurity: null };

export const wantedBy = ({ deps, claim, place, task_id, fence: number }: Entry) => ({
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

const textsOf = (labels: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));

export const issue = (
  { deps, claim, place, needed_seconds, signal }: Entry,
  { isWithoutRights }: { isWithoutRights: boolean },
) => issueAccess(deps, place, { deploymentId: claim.deployment_id, seconds: needed_seconds, isWithoutRights, signal });

export const accountOf = ({ deps, claim }: Entry) => deployerAccount(deps.deployersNamespace, claim.deployment_id);

export async function bind(entry: Entry, { isNew }: InOwn): Promise<void> {
  const { claim, place, signal } = entry;
  if (place.isShared) return;
  const wanted = { account: accountOf(entry), namespace: claim.namespace, isNew };
  await bindDeployer(place.api, wanted, signal).catch((error: unknown) => {
    // Workloads can delete the RoleBinding and prevent a new one with a quota. The namespace is removed anyway.
    if (claim.task?.action !== 'uninstall' || !(error instanceof KubeError) || error.status !== 403) throw error;
  });
}

export const missing = ({ namespace }: Entry['claim']) =>
  new AppError('unprocessable', `There is no namespace ${namespace} in the cluster, so there is no release to adopt`);

interface Given {
  readonly is_replaced?: boolean;
  readonly is_new?: boolean;
  readonly is_adopted?: boolean;
  readonly access?: EnteredNamespace['access'];
  readonly bound?: BoundGrants;
}

export const answer = (
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
