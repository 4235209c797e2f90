import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfMissing } from '@berth/kube/kube-error';
import { type FoundNamespace, foundNamespace } from './found-namespace.ts';

const deadlineMs = 5_000;

export const namespacePath = (name: string): string => `/api/v1/namespaces/${encodeURIComponent(name)}`;

export async function readNamespace(
  api: Pick<KubeApi, 'getJson'>,
  name: string,
  signal: AbortSignal,
): Promise<FoundNamespace | null> {
  const object = await nullIfMissing(api.getJson(namespacePath(name), { signal, deadlineMs, answer: 'namespace' }));
  return object === null ? null : foundNamespace(object);
}
