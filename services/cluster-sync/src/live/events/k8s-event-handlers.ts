import { implement } from '@berth/bus/rpc/implement';
import { type K8sEventPage, type K8sEventQuery, k8sEvents } from '@berth/contracts/resources/clusters/k8s-events';
import type { NamespaceRepository } from '../../namespaces/namespace-repository.ts';
import type { ReadCluster } from '../live-clusters.ts';
import type { Reader } from '../live-slots.ts';
import { type EventsOfNamespace, type EventsToRead, readK8sEvents } from './read-k8s-events.ts';

export interface K8sEventHandlersDeps {
  readonly readCluster: ReadCluster;
  readonly namespaceRepository: Pick<NamespaceRepository, 'find'>;
  readonly maxEvents?: number;
}

/** Readers of the same namespace within this time share one read. */
const sharedForMs = 1_000;

export const k8sEventHandlers = ({ readCluster, namespaceRepository, maxEvents = 2_000 }: K8sEventHandlersDeps) => {
  const shared = new Map<string, Promise<EventsOfNamespace>>();

  function eventsOf(place: EventsToRead, reader: Reader): Promise<EventsOfNamespace> {
    const key = `${place.cluster_id} ${place.deployment_id} ${place.namespace}`;
    const known = shared.get(key);
    if (known) return known;
    const read = readCluster(place.cluster_id, reader, (api) =>
      readK8sEvents(api, place, { namespaceRepository, maxEvents }),
    );
    shared.set(key, read);
    const forget = () => void shared.delete(key);
    read.then(() => setTimeout(forget, sharedForMs).unref(), forget);
    return read;
  }

  return implement(k8sEvents, {
    list: async ({ body: { query, ...place } }, { identity = null }) =>
      pageOf(await eventsOf(place, { identity }), query),
  });
};

function pageOf({ items, isComplete }: EventsOfNamespace, { page = 1, per_page = 50 }: K8sEventQuery): K8sEventPage {
  const from = (page - 1) * per_page;
  return {
    page,
    per_page,
    items: items.slice(from, from + per_page),
    num_total: items.length,
    incomplete: !isComplete,
  };
}
