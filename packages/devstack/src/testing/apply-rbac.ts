import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const Manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
export type Manifest = z.infer<typeof Manifest>;

/** The part of a Kubernetes client that is needed here. */
export interface ManifestTarget {
  postJson(path: string, body: object, call: { signal: AbortSignal; deadlineMs: number }): Promise<unknown>;
}

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const admission = '/apis/admissionregistration.k8s.io/v1';
const folderOf: Record<string, (namespace: string | undefined) => string> = {
  Namespace: () => '/api/v1/namespaces',
  ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  ClusterRole: () => `${rbac}/clusterroles`,
  ClusterRoleBinding: () => `${rbac}/clusterrolebindings`,
  Role: (namespace) => `${rbac}/namespaces/${namespace}/roles`,
  ConfigMap: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  ValidatingAdmissionPolicy: () => `${admission}/validatingadmissionpolicies`,
  ValidatingAdmissionPolicyBinding: () => `${admission}/validatingadmissionpolicybindings`,
  RoleBinding: (namespace) => `${rbac}/namespaces/${namespace}/rolebindings`,
};
const Token = z.object({ status: z.object({ token: z.string() }) });

/** Objects of a manifest in `deploy/rbac`. */
export async function manifestsIn(name: string): Promise<Manifest[]> {
  const file = fileURLToPath(new URL(`../../../../deploy/rbac/${name}.yaml`, import.meta.url));
  return parseAllDocuments(await readFile(file, 'utf8')).map((document) => Manifest.parse(document.toJS()));
}

/** Creates the objects of the manifests as an administrator. Existing objects stay. */
export async function applyRbac(api: ManifestTarget, ...names: string[]): Promise<void> {
  for (const object of (await Promise.all(names.map(manifestsIn))).flat()) {
    const path = folderOf[object.kind]?.(object.metadata.namespace);
    if (path === undefined) throw new Error(`no path for a ${object.kind}`);
    await api
      .postJson(path, object, { signal: AbortSignal.timeout(10_000), deadlineMs: 10_000 })
      .catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
  }
}

/** A `KubeError` has a `status`; an `ApiException` of @kubernetes/client-node has a `code`. */
const isConflict = (error: unknown): boolean =>
  error instanceof Error && (('status' in error && error.status === 409) || ('code' in error && error.code === 409));

/** A token for an account in `berth-system`. */
export async function accountToken(api: ManifestTarget, account: string): Promise<string> {
  const path = `/api/v1/namespaces/berth-system/serviceaccounts/${account}/token`;
  const call = { signal: AbortSignal.timeout(10_000), deadlineMs: 10_000 };
  return Token.parse(await api.postJson(path, { spec: { expirationSeconds: 3_600 } }, call)).status.token;
}
