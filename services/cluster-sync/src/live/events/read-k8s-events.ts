import type { KubeApi } from '@berth/kube/kube-api';
import { nullIfMissing } from '@berth/kube/kube-error';
import type { K8sEvent } from '@berth/contracts/resources/clusters/k8s-events';
import { deploymentNamespace } from '../../resources/objects/deployment-namespace.ts';
import { listPages } from '../../kube/list-pages.ts';
import { k8sEventOf } from './k8s-event-of.ts';

export interface EventsToRead {
  readonly cluster_id: string;
  readonly deployment_id: string;
  readonly namespace: string;
}

export interface EventsOfNamespace {
  readonly items: K8sEvent[];
  /** False if there are more than were read. */
  readonly isComplete: boolean;
}

const deadlineMs = 3_000;
const nothing = { items: [], isComplete: true };

/**
 * The events of the namespace of a deployment, newest first. Kubernetes lists them by name, so all must be read to find the
 * newest; it keeps them for an hour.
 */
export async function readK8sEvents(
  api: Pick<KubeApi, 'getJson' | 'getBytes'>,
  { cluster_id, deployment_id, namespace }: EventsToRead,
  maxEvents: number,
): Promise<EventsOfNamespace> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
  const limit = AbortSignal.timeout(deadlineMs);
  const { items, isComplete } = (await belongsTo(api, path, deployment_id, limit))
    ? await readAll(api, path, { clusterId: cluster_id, signal: limit, maxEvents })
    : nothing;
  items.sort((one, other) => compare(other.last_seen_at, one.last_seen_at) || compare(one.uid, other.uid));
  return { items, isComplete };
}

/** Events of a namespace that belongs to somebody else must not be shown. */
async function belongsTo(
  api: Pick<KubeApi, 'getJson'>,
  path: string,
  deploymentId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const namespace = await nullIfMissing(api.getJson(path, { signal, deadlineMs, answer: 'namespace' }));
  return namespace !== null && deploymentNamespace(namespace).deploymentId === deploymentId;
}

interface ReadAll {
  readonly clusterId: string;
  readonly signal: AbortSignal;
  readonly maxEvents: number;
}

async function readAll(api: Pick<KubeApi, 'getBytes'>, path: string, { clusterId, signal, maxEvents }: ReadAll) {
  const items: K8sEvent[] = [];
  let read = 0;
  for await (const page of listPages(api, `${path}/events`, { signal, answer: 'live_page' })) {
    for await (const each of page.items) {
      read += 1;
      if (read > maxEvents) return { items, isComplete: false };
      const event = k8sEventOf(each, clusterId);
      if (event) items.push(event);
    }
  }
  return { items, isComplete: true };
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
