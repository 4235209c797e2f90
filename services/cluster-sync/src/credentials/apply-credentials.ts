import type { V1Secret } from '@kubernetes/client-node';
import type { KubeApi } from '@berth/kube/kube-api';
import { isNamespaceGone, KubeError, nullIfMissing } from '@berth/kube/kube-error';
import { managedLabels } from '@berth/contracts/fields/kubernetes-names';
import { z } from 'zod';

/** A Secret that a write cannot repair. */
const Fixed = z
  .object({ metadata: z.object({ uid: z.string() }), type: z.string(), immutable: z.boolean().default(false) })
  .refine(({ type, immutable }) => type !== 'Opaque' || immutable);
const deadlineMs = 5_000;
const fieldManager = 'berth-cluster-sync';

interface Applied {
  readonly name: string;
  /** In base64. */
  readonly data: Readonly<Record<string, string>>;
}

export const secretPath = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/secrets/${name}`;

/** Writes a Secret with credentials. Returns false if the namespace was deleted or is being deleted. */
export async function applyCredentials(
  { api, namespace }: { api: Pick<KubeApi, 'getJson' | 'applyJson' | 'deleteJson'>; namespace: string },
  { name, data }: Applied,
  signal: AbortSignal,
): Promise<boolean> {
  const path = secretPath(namespace, name);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: managedLabels },
    type: 'Opaque',
    data,
  } satisfies V1Secret;
  const apply = () => api.applyJson(path, secret, fieldManager, { signal, deadlineMs });
  try {
    await apply().catch(async (error: unknown) => {
      if (!(error instanceof KubeError) || error.status !== 422) throw error;
      // An existing Secret of another type, or an immutable one, must be replaced. For other refusals it stays.
      const found = await nullIfMissing(api.getJson(path, { signal, deadlineMs, answer: 'secret' }));
      const { data: fixed } = Fixed.safeParse(found);
      if (!fixed) throw error;
      const { uid } = fixed.metadata;
      await nullIfMissing(api.deleteJson(path, { preconditions: { uid } }, { signal, deadlineMs }));
      return apply();
    });
    return true;
  } catch (error) {
    if (isNamespaceGone(error) || (error instanceof KubeError && error.status === 404)) return false;
    throw error;
  }
}
