import { serviceCreds } from '@berth/contracts/fields/kubernetes-names';
import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfChanged, nullIfMissing } from '@berth/kube/kube-error';
import { removeUpstreamCredentials } from '../credentials/upstream-credentials.ts';
import { bindingsPath } from '../bindings/role-binding.ts';
import type { FoundNamespace } from '../namespaces/found-namespace.ts';
import type { ChangedMetadata } from '../namespaces/namespace-record.ts';
import { namespacePath } from '../namespaces/read-namespace.ts';

const deadlineMs = 5_000;

/**
 * Leaves a namespace that was there before its deployment: removes what cluster-sync has made in it, then gives it back the labels
 * and annotations that it had. Can be repeated. Returns false if the namespace was changed since it was read.
 */
export async function leaveNamespace(
  api: Pick<KubeApi, 'getJson' | 'deleteJson' | 'patchJson'>,
  { name, uid, resourceVersion }: Pick<FoundNamespace, 'name' | 'uid' | 'resourceVersion'>,
  { labels, annotations }: ChangedMetadata,
  signal: AbortSignal,
): Promise<boolean> {
  const call = { signal, deadlineMs };
  await nullIfMissing(api.deleteJson(`${namespacePath(name)}/secrets/${serviceCreds}`, {}, call));
  await removeUpstreamCredentials({ api, namespace: name }, signal);
  await nullIfMissing(api.deleteJson(`${bindingsPath(name)}/berth-deployer`, {}, call));
  const patch = { metadata: { uid, resourceVersion, labels, annotations } };
  return (await nullIfChanged(nullIfMissing(api.patchJson(namespacePath(name), patch, call)))) !== null;
}
