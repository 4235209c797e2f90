import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { groupOf } from '../cluster/group-of.ts';

/** An object of a manifest or of the cluster, with the fields that identify it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  namespace: string | null;
  name: string;
  content: JsonObject;
}

/** Null if it is not a Kubernetes object. */
export function kubeObjectOf(content: JsonValue | undefined): KubeObject | null {
  if (!isJsonObject(content)) return null;
  const { apiVersion, kind, metadata } = content;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonObject(metadata)) return null;
  const { name, namespace } = metadata;
  if (typeof name !== 'string') return null;
  return { apiVersion, kind, namespace: typeof namespace === 'string' ? namespace : null, name, content };
}

/** Identifies an object, across versions of its API group. */
export const keyOf = ({ apiVersion, kind, namespace, name }: Omit<KubeObject, 'content'>): string =>
  JSON.stringify([groupOf(apiVersion), kind, namespace, name]);

export function metadataOf({ content }: Pick<KubeObject, 'content'>, map: 'labels' | 'annotations'): JsonObject {
  const metadata = content['metadata'];
  const found = isJsonObject(metadata) ? metadata[map] : undefined;
  return isJsonObject(found) ? found : {};
}
