import { AppError } from '@berth/contracts/errors';
import type { GrantScope } from '@berth/contracts/resources/clusters/cluster-role-grants';
import type { KubeApi } from '@berth/kube/kube-api';
import { isNamespaceGone, KubeError, nullIfChanged, nullIfExists, nullIfMissing } from '@berth/kube/kube-error';
import { describeClusterFailure } from '../kube/describe-cluster-failure.ts';
import { type Account, bindingStep, clusterRolesPath, FoundBinding, roleBinding } from '../bindings/role-binding.ts';
import { type PodSecurityLevel, weakestLevel } from '../namespaces/pod-security.ts';
import type { BindingPlace, BindingRepository, GrantedBinding } from './binding-repository.ts';
import { guardsRecords } from './guards-records.ts';
import { bindingOfGrant, folderOfBinding, pathOfBinding } from './granted-binding.ts';
import { roleVerdict } from './role-verdict.ts';

interface GrantPlace extends BindingPlace {
  readonly kindId: string;
  readonly api: Pick<KubeApi, 'server' | 'getJson' | 'postJson' | 'deleteJson' | 'applyJson'>;
  /** The account of the deployment in the cluster. */
  readonly account: Account;
}

export interface BoundGrants {
  readonly clusterRoles: readonly { readonly cluster_role: string; readonly scope: GrantScope }[];
  /** Why grants have no effect in this cluster: one sentence each, which says who can change that. */
  readonly refused: readonly string[];
  /** The weakest level of pod security that a bound ClusterRole requires. */
  readonly podSecurity: PodSecurityLevel | null;
}

export interface BindGrantsDeps {
  readonly bindingRepository: Pick<BindingRepository, 'record' | 'withdraw' | 'isWanted'>;
}

export type BindGrants = (place: GrantPlace, signal: AbortSignal) => Promise<BoundGrants>;

const deadlineMs = 5_000;

/** Why one grant has no effect; the deployment continues without it. */
class GrantRefused extends Error {
  override readonly name = 'GrantRefused';
}

/**
 * Gives the account of a deployment the ClusterRoles that its kind was granted in the env of the cluster. Each binding is recorded
 * before it is created, so that a binding left behind by a crash is found and removed.
 */
export const bindGrants =
  ({ bindingRepository }: BindGrantsDeps): BindGrants =>
  async (place, signal) => {
    const wanted = await bindingRepository.record(place);
    const call = { signal, deadlineMs };
    const isInCluster = wanted.some(({ scope }) => scope === 'Cluster');
    const guarded = isInCluster ? guardsRecords(place.api, place.namespace, call) : Promise.resolve(false);
    guarded.catch(() => undefined);
    const outcomes = await Promise.all(
      wanted.map(async (binding) => {
        try {
          if (binding.scope === 'Cluster' && !(await guarded)) throw await unguarded(place, binding, call);
          const podSecurity = await bind(place, binding, call);
          if (!(await bindingRepository.isWanted(binding.id))) throw await withdrawn(place, binding, call);
          return { binding, podSecurity };
        } catch (error) {
          if (!(error instanceof GrantRefused)) throw outage(error, place);
          await bindingRepository.withdraw(binding.id);
          return { refused: error.message };
        }
      }),
    );
    const bound = outcomes.flatMap((one) => ('refused' in one ? [] : [one]));
    return {
      clusterRoles: bound.map(({ binding: { cluster_role, scope } }) => ({ cluster_role, scope })),
      refused: outcomes.flatMap((one) => ('refused' in one ? [one.refused] : [])),
      podSecurity: weakestLevel(bound.map(({ podSecurity }) => podSecurity)),
    };
  };

type Call = Parameters<KubeApi['getJson']>[1];

async function bind(place: GrantPlace, binding: GrantedBinding, call: Call): Promise<PodSecurityLevel | null> {
  const { api, account } = place;
  const wanted = bindingOfGrant(binding, account);
  const path = pathOfBinding(binding);
  const readStep = async () => bindingStep(FoundBinding.parse(await nullIfMissing(api.getJson(path, call))), wanted);

  const [role, step] = await Promise.all([readRole(api, binding, call), readStep()]);
  const verdict = roleVerdict(role, binding);
  if ('refused' in verdict) throw new GrantRefused(verdict.refused);
  if (step === 'keep') return verdict.podSecurity;
  // The chart can edit the bindings in its namespace. The role of a binding cannot be changed, so it is recreated.
  if (step !== 'create')
    await nullIfChanged(nullIfMissing(api.deleteJson(path, { preconditions: { uid: step.replaceUid } }, call)));
  const creating = api.postJson(folderOfBinding(binding), roleBinding(wanted), call);
  const created = await nullIfExists(creating).catch((error: unknown) => {
    throw refusedToBind(error, binding) ?? error;
  });
  // A concurrent call may have created it.
  if (created === null && (await readStep()) !== 'keep') throw new GrantRefused(heldName(binding));
  return verdict.podSecurity;
}

/** The loop that removes withdrawn bindings forgets them after a while: a process that was paused may create its binding after that. */
async function withdrawn({ api }: GrantPlace, binding: GrantedBinding, call: Call): Promise<GrantRefused> {
  await nullIfMissing(api.deleteJson(pathOfBinding(binding), {}, call));
  return new GrantRefused(`The grant of the ClusterRole ${binding.cluster_role} was revoked while it was bound`);
}

/** If others than Helm can write its records, they could use the grant. So an existing binding is removed before Helm starts. */
async function unguarded({ api }: GrantPlace, binding: GrantedBinding, call: Call): Promise<GrantRefused> {
  await nullIfMissing(api.deleteJson(pathOfBinding(binding), {}, call));
  return new GrantRefused(
    `The grant of the ClusterRole ${binding.cluster_role} in the whole cluster has no effect, since pods could use it by writing the records of Helm: an operator of the cluster applies deploy/rbac/release-records-policy.yaml`,
  );
}

/** After the refusal the record is withdrawn: the next attempt uses another name, and the loop drops the finalizers of this binding. */
const heldName = (binding: GrantedBinding): string =>
  `The binding of the ClusterRole ${binding.cluster_role}, which a grant names, was changed in the cluster and cannot be replaced, perhaps because of a finalizer: retry the task, which binds the role under another name`;

async function readRole(api: GrantPlace['api'], { cluster_role }: GrantedBinding, call: Call): Promise<unknown> {
  const path = `${clusterRolesPath}/${encodeURIComponent(cluster_role)}`;
  return nullIfMissing(api.getJson(path, call)).catch((error: unknown) => {
    if (!(error instanceof KubeError) || error.status !== 403) throw error;
    throw new GrantRefused(
      `cluster-sync may not read the ClusterRole ${cluster_role}: an operator of the cluster applies deploy/rbac/cluster-sync.yaml`,
    );
  });
}

/** Kubernetes lets an account bind a role only if it holds all of its rights, or the verb `bind` on it. */
function refusedToBind(error: unknown, { cluster_role, scope }: GrantedBinding): GrantRefused | null {
  if (!(error instanceof KubeError) || error.status !== 403) return null;
  if (isNamespaceGone(error)) return null;
  return new GrantRefused(
    /is attempting to grant RBAC permissions not currently held/.test(error.message)
      ? `cluster-sync may not bind the ClusterRole ${cluster_role}, which a grant names: an operator of the cluster gives it the verb bind on ${cluster_role}, as deploy/rbac/grant-example.yaml does`
      : `cluster-sync may not create ${scope === 'Cluster' ? 'ClusterRoleBindings' : 'RoleBindings'}: an operator of the cluster applies deploy/rbac/cluster-sync.yaml`,
  );
}

function outage(error: unknown, { api, namespace }: GrantPlace): unknown {
  if (error instanceof AppError) return error;
  const why = isNamespaceGone(error)
    ? `the namespace ${namespace} is being deleted`
    : describeClusterFailure(error, api.server);
  return new AppError('unavailable', `The grants of the deployment could not be bound: ${why}`, { cause: error });
}
