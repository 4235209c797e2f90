import { byText } from '@berth/contracts/by-text';
import type { KubeApi } from '@berth/kube/kube-api';
import type { K8sEvent } from '@berth/contracts/resources/clusters/k8s-events';
import { ownerOf } from '../../namespaces/namespace-record.ts';
import type { NamespaceRepository } from '../../namespaces/namespace-repository.ts';
import { namespacePath, readNamespace } from '../../namespaces/read-namespace.ts';
import { listPages } from '../../kube/list-pages.ts';
import { k8sEventOf } from './k8s-event-of.ts';

export interface EventsToRead {
  readonly cluster_id: string;
  readonly deployment_id: string;
  readonly namespace: string;
}

export interface ReadEventsDeps {
  readonly namespaceRepository: Pick<NamespaceRepository, 'find'>;
  readonly maxEvents: number;
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
  place: EventsToRead,
  { namespaceRepository, maxEvents }: ReadEventsDeps,
): Promise<EventsOfNamespace> {
  const signal = AbortSignal.timeout(deadlineMs);
  const { items, isComplete } = (await belongsTo(api, place, { namespaceRepository, signal }))
    ? await readAll(api, namespacePath(place.namespace), { clusterId: place.cluster_id, signal, maxEvents })
    : nothing;
  items.sort((one, other) => byText(other.last_seen_at, one.last_seen_at) || byText(one.uid, other.uid));
  return { items, isComplete };
}

/** Events of a namespace that belongs to somebody else must not be shown. */
async function belongsTo(
  api: Pick<KubeApi, 'getJson'>,
  { cluster_id: clusterId, namespace: name, deployment_id }: EventsToRead,
  { namespaceRepository, signal }: Pick<ReadEventsDeps, 'namespaceRepository'> & { signal: AbortSignal },
): Promise<boolean> {
  const [record, found] = await Promise.all([
    namespaceRepository.find({ clusterId, name }),
    readNamespace(api, name, signal),
  ]);
  return found !== null && ownerOf(record, found) === deployment_id;
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
