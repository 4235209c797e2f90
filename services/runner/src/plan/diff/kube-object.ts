import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';

/** An object as a manifest or the cluster has it, with the fields that name it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  namespace: string | null;
  name: string;
  content: JsonObject;
}

/** Null where it is no object of Kubernetes. */
export function kubeObjectOf(content: JsonValue | undefined): KubeObject | null {
  if (!isJsonObject(content)) return null;
  const { apiVersion, kind, metadata } = content;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonObject(metadata)) return null;
  const { name, namespace } = metadata;
  if (typeof name !== 'string') return null;
  return { apiVersion, kind, namespace: typeof namespace === 'string' ? namespace : null, name, content };
}

/** Which object it is. Versions of one group are forms of the same object. */
export const keyOf = ({ apiVersion, kind, namespace, name }: Omit<KubeObject, 'content'>): string =>
  JSON.stringify([apiVersion.includes('/') ? apiVersion.split('/')[0] : '', kind, namespace, name]);

export function metadataOf({ content }: Pick<KubeObject, 'content'>, map: 'labels' | 'annotations'): JsonObject {
  const metadata = content['metadata'];
  const found = isJsonObject(metadata) ? metadata[map] : undefined;
  return isJsonObject(found) ? found : {};
}
