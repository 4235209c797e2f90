import type { V1ClusterRoleBinding, V1RoleBinding } from '@kubernetes/client-node';
import { z } from 'zod';

/** A service account. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** Gives one account the rights of one ClusterRole, in one namespace or in the whole cluster. */
export interface WantedBinding {
  readonly name: string;
  /** Null for a ClusterRoleBinding. */
  readonly namespace: string | null;
  readonly role: string;
  readonly account: Account;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const rbacGroup = 'rbac.authorization.k8s.io';
const api = `/apis/${rbacGroup}/v1`;

export const clusterRolesPath = `${api}/clusterroles`;

export const bindingsPath = (namespace: string | null): string =>
  namespace === null ? `${api}/clusterrolebindings` : `${api}/namespaces/${encodeURIComponent(namespace)}/rolebindings`;

export const roleBinding = ({ name, namespace, role, account, labels, annotations }: WantedBinding) =>
  ({
    apiVersion: `${rbacGroup}/v1`,
    kind: namespace === null ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace !== null && { namespace }), labels, ...(annotations && { annotations }) },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
  }) satisfies V1RoleBinding | V1ClusterRoleBinding;

/** A binding as it was read; null if there is none. */
export const FoundBinding = z
  .object({
    metadata: z.object({ uid: z.string(), deletionTimestamp: z.string().nullish() }),
    roleRef: z.object({ kind: z.string(), name: z.string() }),
    subjects: z
      .array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().default('') }))
      .nullish()
      .transform((subjects) => subjects ?? []),
  })
  .nullable();
type FoundBinding = z.infer<typeof FoundBinding>;

export type BindingStep = 'create' | 'keep' | { readonly replaceUid: string };

/** Decides how to repair a binding: workloads of its namespace may delete it, replace it or change its subjects. */
export function bindingStep(
  found: FoundBinding,
  { role, account }: Pick<WantedBinding, 'role' | 'account'>,
): BindingStep {
  if (found === null) return 'create';
  const { metadata, roleRef, subjects } = found;
  const [subject, ...others] = subjects;
  const isRight =
    roleRef.kind === 'ClusterRole' &&
    roleRef.name === role &&
    others.length === 0 &&
    subject?.kind === 'ServiceAccount' &&
    subject.name === account.name &&
    subject.namespace === account.namespace;
  return isRight && !metadata.deletionTimestamp ? 'keep' : { replaceUid: metadata.uid };
}
