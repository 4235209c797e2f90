import { serviceCreds } from '@berth/contracts/fields/kubernetes-names';
import type { KubeApi } from '@berth/kube/kube-api';
import { isNamespaceGone, KubeError } from '@berth/kube/kube-error';

const policy = 'berth-release-records';

/**
 * Whether the cluster lets only accounts of deployments write the records of releases in a namespace. Tried by a dry run: the one
 * Secret that cluster-sync may write gets the labels by which Helm finds its records. The refusal quotes the name of the policy, and
 * a chart cannot imitate that: the names of its quotas, which appear in refusals too, cannot contain quotes.
 */
export async function guardsRecords(
  api: Pick<KubeApi, 'applyJson'>,
  namespace: string,
  call: Parameters<KubeApi['applyJson']>[3],
): Promise<boolean> {
  const metadata = { name: serviceCreds, namespace, labels: { owner: 'helm', name: namespace } };
  const path = `/api/v1/namespaces/${namespace}/secrets/${serviceCreds}`;
  try {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
    await api.applyJson(path, secret, 'berth-probe', { ...call, dryRun: true });
    return false;
  } catch (error) {
    if (!(error instanceof KubeError) || ![403, 422].includes(error.status) || isNamespaceGone(error)) throw error;
    return error.message.includes(`ValidatingAdmissionPolicy '${policy}' with binding`);
  }
}
