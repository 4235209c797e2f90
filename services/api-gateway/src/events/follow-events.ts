import type { Identity } from '@berth/contracts/access/identity';
import { isOutage } from '@berth/contracts/errors';
import { dueEvery } from '@berth/service/waiting/due-every';
import type { WakeUp } from '@berth/service/waiting/wake-up';
import type { EventFeed, FedEvent } from './event-feed.ts';
import { eventText, positionText, resetText, retryText } from './event-text.ts';
import type { Position } from './position.ts';

export interface FollowEventsDeps {
  feed: Pick<EventFeed, 'after'>;
  /** The identity of the client; null while auth cannot be reached. Throws if it may no longer read. */
  identity: () => Promise<Identity | null>;
  isFor: (identity: Identity, event: FedEvent) => boolean;
  wakeUp: Pick<WakeUp, 'wait'>;
  signal: AbortSignal;
  heartbeatMs?: number;
}

/** How often the identity is read again while there are no events. */
const idleMs = 900;

/** Yields the text of the stream from a position on, until the signal aborts; throws if the client may no longer read. */
export async function* followEvents(
  from: Position,
  { feed, identity, isFor, wakeUp, signal, heartbeatMs = 15_000 }: FollowEventsDeps,
): AsyncGenerator<string> {
  const heartbeat = dueEvery(heartbeatMs);
  let position = from;
  yield `${retryText}${positionText(position)}`;

  while (!signal.aborted) {
    const reader = await identity();
    const part = reader && (await feed.after(position).catch(ignoreOutage));
    if (reader && part) {
      ({ position } = part);
      const shown = part.events.filter((event) => isFor(reader, event));
      const { created } = position;
      if (shown.length > 0) yield shown.map(({ sequence, data }) => eventText({ created, sequence }, data)).join('');
      if (part.missing !== undefined) yield resetText(position, part.missing);
      if (part.more) continue;
    }
    if (heartbeat.due()) yield positionText(position);
    await wakeUp.wait(Math.min(idleMs, heartbeatMs));
  }
}

/** The next iteration tries again from the same position. */
function ignoreOutage(error: unknown): null {
  if (isOutage(error)) return null;
  throw error;
}
