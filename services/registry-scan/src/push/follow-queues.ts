import type { Loop } from '@berth/service/service';
import type { EventQueue } from '../connection/event-queue.ts';
import type { OnRequest } from '../connection/registry-session.ts';
import type { ConfiguredRegistries } from '../polling/configured-registries.ts';
import { followQueue, type FollowQueueDeps } from './follow-queue.ts';

interface FollowQueues extends Omit<FollowQueueDeps, 'name' | 'queue' | 'registries'> {
  configured: Pick<ConfiguredRegistries, 'described' | 'scanned'>;
  onRequest: (name: string) => OnRequest;
  /** Closes the queue when the service ends. */
  use: (queue: EventQueue) => EventQueue;
}

/** One loop for each queue: registries may share one. */
export function followQueues({ configured, onRequest, use, ...deps }: FollowQueues): [string, Loop][] {
  const reporting = configured.described.flatMap(({ source, events }) => {
    const registry = configured.scanned.get(source.domain);
    return events && registry ? [{ events, registry }] : [];
  });
  return [...Map.groupBy(reporting, ({ events }) => events.url)].flatMap(([url, group]) => {
    const name = URL.parse(url)?.pathname.split('/').at(-1) ?? url;
    const byHost = new Map(group.map(({ events, registry }) => [events.host, registry]));
    return group.slice(0, 1).map(({ events }): [string, Loop] => {
      const queue = use(events.open(onRequest(name)));
      return [`receive from ${url}`, followQueue({ ...deps, name, queue, registries: byHost })];
    });
  });
}
