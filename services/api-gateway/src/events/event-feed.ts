import type { EventReader, EventStreamStatus, RowEvent } from '@berth/bus/events/event-reader';
import { AppError } from '@berth/contracts/errors';
import type { Service } from '@berth/service/service';
import { LRUCache } from 'lru-cache';
import { atMost } from '@berth/service/waiting/at-most';
import { pause } from '@berth/service/waiting/pause';
import { singleFlight, singleFlights } from '@berth/service/waiting/single-flight';
import { dataOf } from './event-text.ts';
import type { Position } from './position.ts';

/** An event and its data as text, made once for all streams. */
export interface FedEvent extends RowEvent {
  readonly data: string;
}

interface FeedPart {
  readonly events: readonly FedEvent[];
  /** The position after the last event of this part, whether the client sees that event. */
  readonly position: Position;
  readonly more: boolean;
  /** Why events before this position are missing. */
  readonly missing?: string;
}

export interface EventFeed {
  /**
   * Calls `wake` for new events until the member leaves. Resolves to the end of the stream; throws `unavailable` if it cannot
   * be read.
   */
  join(wake: () => void): Promise<{ end: Position } & Disposable>;
  after(position: Position): Promise<FeedPart>;
}

export interface EventFeedDeps {
  reader: EventReader;
  log: Pick<Service['log'], 'warn'>;
  stopping: AbortSignal;
  pollMs?: number;
  /** The size of the events in memory, which all streams share. */
  recentBytes?: number;
}

const partSize = 500;
const eventOverhead = 500;
const rowsRemembered = 20_000;
/** How many earlier events are searched for newer versions of the same rows before the first event is sent. */
const lookBack = 500;

/**
 * Follows the stream of events once for all clients, while there are any. Recent events are in memory; a client that is behind them
 * reads from the stream itself, one reader at a time.
 */
export function createEventFeed({
  reader,
  log,
  stopping,
  pollMs = 50,
  recentBytes = 8 * 1024 * 1024,
}: EventFeedDeps): EventFeed {
  const members = new Set<() => void>();
  const catchUps = singleFlights<FeedPart>();
  const inTurn = atMost(1);
  let stream: EventStreamStatus | undefined;
  /** All events from `start` up to and without `end`. */
  let recent: FedEvent[] = [];
  let bytes = 0;
  let start = 0;
  let end = 0;
  let newest = new LRUCache<string, number>({ max: rowsRemembered });
  let following: Promise<void> | undefined;

  function restart(at: number): void {
    [recent, bytes, newest] = [[], 0, new LRUCache<string, number>({ max: rowsRemembered })];
    [start, end] = [at, at];
  }

  const poll = singleFlight(async (): Promise<void> => {
    const status = await reader.status();
    // The stream was replaced or lost its end, so its sequences now mean other events.
    const isSame = stream?.created === status.created && status.last >= end - 1;
    if (!isSame) {
      const versions = await versionsBefore(status.last + 1, status.first);
      restart(status.last + 1);
      newest = versions;
    }
    // After a long outage, the stream may no longer have the next events.
    else if (status.first > end) restart(status.first);
    const before = isSame ? end : -1;
    stream = status;
    while (end <= status.last && !stopping.aborted) {
      const { events, next } = await reader.read(end);
      if (next <= end) break;
      take(events);
      end = next;
    }
    if (end !== before) for (const wake of members) wake();
  });

  /** The versions of the rows in the events right before a sequence. */
  async function versionsBefore(sequence: number, first: number): Promise<LRUCache<string, number>> {
    const versions = new LRUCache<string, number>({ max: rowsRemembered });
    // The first sequence of an empty stream is 0.
    for (let next = Math.max(1, first, sequence - lookBack); next < sequence; ) {
      const from = next;
      const part = await reader.read(from);
      withoutRepeats(
        part.events.filter((one) => one.sequence < sequence),
        versions,
      );
      ({ next } = part);
      if (next <= from) break;
    }
    return versions;
  }

  function take(events: readonly RowEvent[]): void {
    for (const one of withoutRepeats(events, newest)) {
      recent.push(one);
      bytes += sizeOf(one);
    }
    let dropped = 0;
    while (bytes > recentBytes) {
      const oldest = recent[dropped];
      if (!oldest) break;
      bytes -= sizeOf(oldest);
      start = oldest.sequence + 1;
      dropped += 1;
    }
    if (dropped > 0) recent = recent.slice(dropped);
  }

  async function follow(): Promise<void> {
    let hasFailed = false;
    while (members.size > 0 && !stopping.aborted) {
      try {
        await poll();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.warn({ err: error }, 'events cannot be read; trying again');
        hasFailed = true;
      }
      await pause(hasFailed ? pollMs * 5 : pollMs, stopping);
    }
    following = undefined;
    stream = undefined;
  }

  const here = (sequence: number): Position => ({ created: stream?.created ?? '', sequence });

  const missed = (missing: string): FeedPart => ({ events: [], position: here(end - 1), more: false, missing });

  async function catchUp(from: number): Promise<FeedPart> {
    const { created, first } = await reader.status();
    if (created !== stream?.created) return { events: [], position: here(from - 1), more: true };
    if (from < first) return missed('Events are kept for an hour, and some that followed are gone');
    const { events, next } = await reader.read(from);
    const fed = withoutRepeats(events, await versionsBefore(from, first));
    return { events: fed, position: here(next - 1), more: next > from };
  }

  return {
    async join(wake) {
      if (stream === undefined) await poll();
      if (stream === undefined) throw new AppError('unavailable', 'The events cannot be read; try again later');
      members.add(wake);
      following ??= follow();
      return { end: here(end - 1), [Symbol.dispose]: () => void members.delete(wake) };
    },

    async after({ created, sequence }) {
      // Another gateway may be ahead. The poll in flight may have begun before this call, so poll once more.
      const isUnknown = () => created !== stream?.created || sequence >= end;
      if (isUnknown()) await poll();
      if (isUnknown()) await poll();
      if (created !== stream?.created) return missed('The stream of events was lost and begins again');
      if (sequence >= end) return missed('The stream of events has lost its end');
      if (sequence + 1 < start) {
        const from = sequence + 1;
        return catchUps.run(String(from), () => inTurn(() => catchUp(from)));
      }
      const index = firstAfter(recent, sequence);
      const events = recent.slice(index, index + partSize);
      const more = index + partSize < recent.length;
      return { events, position: here(more ? (events.at(-1)?.sequence ?? sequence) : end - 1), more };
    },
  };
}

/** Drops repeats: an owner may publish an event again, or after a newer one of the same row. */
function withoutRepeats(events: readonly RowEvent[], newest: LRUCache<string, number>): FedEvent[] {
  return events.flatMap((one) => {
    const { resource, id, version } = one.event;
    const row = `${resource}.${id}`;
    if ((newest.get(row) ?? 0) >= version) return [];
    newest.set(row, version);
    return [{ ...one, data: dataOf(one) }];
  });
}

const sizeOf = ({ data }: FedEvent): number => data.length + eventOverhead;

/** The index of the first event with a higher sequence; they are in order. */
function firstAfter(events: readonly RowEvent[], sequence: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.sequence ?? 0) > sequence) high = middle;
    else low = middle + 1;
  }
  return low;
}
