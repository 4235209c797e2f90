import { eachAtMost } from '@berth/service/waiting/each-at-most';
import { namespaceIn, pathOfObject } from '../cluster/api-kinds.ts';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import { groupOf } from '../cluster/group-of.ts';

const atOnce = 8;
/** The limits for all objects together; what lies beyond is not compared. */
const most = { objects: 500, bytes: 16 * 1024 * 1024 };

export interface NamedObject {
  apiVersion: string;
  kind: string;
  /** Null if the object does not name one. */
  namespace: string | null;
  name: string;
}

type OwnedReader = Pick<ClusterClient, 'findKind' | 'readText'>;

export interface OwnedRead {
  /** The objects that exist, as JSON. */
  live: string[];
  /** As JSON; null if the account may not list them. */
  autoscalers: string | null;
  isPartial: boolean;
}

/** The live objects of a chart with their managed fields, and what scales them. Bounded, since their authors are not trusted. */
export async function readOwned(
  objects: readonly NamedObject[],
  { namespace, client, signal }: { namespace: string; client: OwnedReader; signal: AbortSignal },
): Promise<OwnedRead> {
  const live: string[] = [];
  let bytes = 0;

  async function read(object: NamedObject): Promise<void> {
    const kind = await client.findKind(object);
    const path = kind && pathOfObject(kind, { ...object, namespace: namespaceIn(kind, object, namespace) });
    const text = path ? await client.readText(path) : null;
    if (text === null || bytes + text.length > most.bytes) return;
    bytes += text.length;
    live.push(text);
  }

  const examined = objects.slice(0, most.objects);
  const reading = eachAtMost(atOnce, examined, async (object) => {
    signal.throwIfAborted();
    if (bytes < most.bytes) await read(object);
  });
  const [autoscalers] = await Promise.all([
    examined.some(canBeScaled) ? readAutoscalers(namespace, client) : Promise.resolve(null),
    reading,
  ]);
  return { live, autoscalers, isPartial: objects.length > examined.length || bytes >= most.bytes };
}

const workloads = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController']);

/** Custom resources may have replicas, too. */
function canBeScaled({ apiVersion, kind }: NamedObject): boolean {
  const group = groupOf(apiVersion);
  return workloads.has(kind) || (group.includes('.') && !group.endsWith('.k8s.io'));
}

/** As JSON; null if the account may not list them. */
export const readAutoscalers = (namespace: string, client: Pick<OwnedReader, 'readText'>): Promise<string | null> =>
  client.readText(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers?limit=200`, 'list');
