import type { EnteredNamespace } from '@berth/contracts/resources/clusters/deployment-namespaces';
import { cutText } from '@berth/contracts/cut-text';
import { deployerRoleName } from '../access/deployer-account.ts';
import type { AccessPlace } from '../access/issue-access.ts';
import { roleBinding } from '../bindings/role-binding.ts';
import type { BoundGrants } from '../grants/bind-grants.ts';
import { bindingOfGrant, folderOfBinding } from '../grants/granted-binding.ts';
import type { FoundNamespace } from '../namespaces/found-namespace.ts';
import { podSecurityLabels } from '../namespaces/pod-security.ts';
import { namespacePath } from '../namespaces/read-namespace.ts';
import { accountOf, answer, bind, type Entry, issue, missing, noGrants, wantedBy } from './entry.ts';
import { findOrMake } from './find-or-make.ts';

/** A plan does not create a namespace, and its token has no rights at all while there is none. */
export async function enterForPlan(entry: Entry): Promise<EnteredNamespace> {
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
