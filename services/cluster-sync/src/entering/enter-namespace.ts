import type { EnteredNamespace } from '@berth/contracts/resources/clusters/deployment-namespaces';
import { managedLabels, namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { AppError, Bug } from '@berth/contracts/errors';
import type { AccessDeps } from '../access/issue-access.ts';
import type { ClaimedPlace } from '../claimed-places/claimed-place.ts';
import type { BoundGrants } from '../grants/bind-grants.ts';
import { podSecurityLabels, weakestLevel } from '../namespaces/pod-security.ts';
import { enterForPlan } from './enter-for-plan.ts';
import {
  accountOf,
  answer,
  bind,
  type EnterDeps,
  type Entering,
  type Entry,
  type InOwn,
  issue,
  missing,
  noGrants,
  wantedBy,
} from './entry.ts';
import { findOrMake } from './find-or-make.ts';
import { takeFence } from './take-fence.ts';

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
  // If it outlived the answer, the removal that follows might not see the account.
  if (placed.state !== 'entered') await Promise.allSettled([issuing]);
  if (placed.state === 'absent' && claim.adopts) throw missing(claim);
  if (placed.state === 'adoptable') throw new Bug('only a dry run compares before it adopts');
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

/** Helm follows the records of a release, which others wrote if the release is to be adopted. With these rights it would do so anywhere. */
async function refuseWithClusterRoles({ deps, claim: { cluster_id, kind_id, namespace } }: Entry): Promise<void> {
  const granted = await deps.bindingRepository.grantedTo(cluster_id, kind_id);
  const [wide] = granted.filter(({ scope }) => scope === 'Cluster');
  if (!wide) return;
  throw new AppError(
    'conflict',
    `The release ${namespace} cannot be adopted while its kind is granted ${wide.cluster_role} in the whole cluster: revoke the grant, adopt the release, and grant it again after its first deploy`,
  );
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
      // Any mark will do: without one it would look like a namespace of the version before.
      [namespaceAnnotations.mark]: claim.deployment_id,
    }),
  };
  await takeFence(entry, { ...entry, api: place.api, found, labels, annotations });
}

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
