import type { KubeApi } from '@berth/kube/kube-api';
import type { Manifest } from './helm-in-test.ts';

const plurals: Record<string, string> = {
  Ingress: 'ingresses',
  NetworkPolicy: 'networkpolicies',
  BackendTLSPolicy: 'backendtlspolicies',
};
const clusterWide = new Set(['ClusterRole', 'ClusterRoleBinding', 'Namespace']);

/** The path of the collection that an object belongs to. */
export function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = plurals[kind] ?? `${kind.toLowerCase()}s`;
  if (clusterWide.has(kind)) return `${group}/${plural}`;
  if (metadata.namespace === undefined) throw new Error(`${kind} ${metadata.name} names no namespace`);
  return `${group}/namespaces/${metadata.namespace}/${plural}`;
}

/** Lets the API server validate an object, including unknown fields, without creating it. Returns the refusal. */
export const createDryRun =
  (api: KubeApi) =>
  async (manifest: Manifest): Promise<string | undefined> => {
    const call = { signal: AbortSignal.timeout(20_000), deadlineMs: 20_000 };
    return api.postJson(`${pathOf(manifest)}?dryRun=All&fieldValidation=Strict`, manifest, call).then(
      () => undefined,
      (error: unknown) => `${manifest.kind} ${manifest.metadata.name}: ${String(error)}`,
    );
  };
