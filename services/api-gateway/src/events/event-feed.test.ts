import { setTimeout as sleep } from 'node:timers/promises';
import type { EventReader, RowEvent } from '@berth/bus/events/event-reader';
import { AppError } from '@berth/contracts/errors';
import { silentLog } from '@berth/testing/test-bus';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import type { Position } from './position.ts';

const created = '2026-01-02T03:04:05.000Z';

/** The time at which the stream was created. */
let createdNow: string;
let stored: RowEvent[];
let first: number;
let isUp: boolean;
let stopping: AbortController;
let feed: EventFeed;

/** Reads at most four events at a time. */
const reader: EventReader = {
  async status() {
    if (!isUp) throw new AppError('unavailable', 'no server');
    return { created: createdNow, first, last: stored.at(-1)?.sequence ?? 0 };
  },
  async read(from) {
    const events = stored.filter(({ sequence }) => sequence >= from && sequence >= first).slice(0, 4);
    return { events, next: (events.at(-1)?.sequence ?? from - 1) + 1 };
  },
};

beforeEach(() => {
  [createdNow, stored, first, isUp, stopping] = [created, [], 1, true, new AbortController()];
  feed = createEventFeed({ reader, log: silentLog, stopping: stopping.signal, pollMs: 5, recentBytes: 2_000 });
});
afterEach(() => stopping.abort());

function announce(count: number): void {
  for (let n = 0; n < count; n += 1) {
    const sequence = (stored.at(-1)?.sequence ?? 0) + 1;
    const event = {
      resource: 'boats',
      id: `boat-${sequence}`,
      version: 1,
      env_id: null,
      operation: 'INSERT',
      row: {},
    } as const;
    stored.push({ sequence, event });
  }
}

/** Reads the events after a position, up to `last`. */
async function readUntil(last: number, from: Position): Promise<{ sequences: number[]; missing: string[] }> {
  const [sequences, missing]: [number[], string[]] = [[], []];
  for (let position = from; position.sequence < last; ) {
    const part = await feed.after(position);
    sequences.push(...part.events.map(({ sequence }) => sequence));
    if (part.missing !== undefined) missing.push(part.missing);
    position = part.position;
    // The feed polls between two parts.
    await sleep(1);
  }
  return { sequences, missing };
}

test('a client far behind receives each event once, older ones from the stream instead of memory', async () => {
  using member = await feed.join(() => undefined);
  announce(40);
  await expect.poll(async () => (await feed.after({ created, sequence: 39 })).events).toHaveLength(1);

  const { sequences, missing } = await readUntil(40, member.end);

  expect(sequences).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  expect(missing).toEqual([]);
});

test('a client is not reset by a position that it got from a gateway that is ahead', async () => {
  using _member = await feed.join(() => undefined);
  announce(3);

  expect(await feed.after({ created, sequence: 3 })).toMatchObject({ events: [], position: { sequence: 3 } });
  expect(await feed.after({ created, sequence: 3 })).not.toHaveProperty('missing');
});

test('a client is reset if the stream was wiped, even if the new stream is already longer', async () => {
  using _member = await feed.join(() => undefined);
  announce(3);
  [createdNow, stored] = ['2026-01-02T04:00:00.000Z', []];
  announce(9);

  const part = await feed.after({ created, sequence: 3 });

  expect(part).toMatchObject({ events: [], missing: 'The stream of events was lost and begins again' });
  expect(part.position).toEqual({ created: createdNow, sequence: 9 });
});

test('a client is reset after an outage that outlasted the events', async () => {
  using member = await feed.join(() => undefined);
  isUp = false;
  announce(20);
  first = 15;
  isUp = true;

  const { sequences, missing } = await readUntil(20, member.end);

  expect(missing).toHaveLength(1);
  expect(sequences).not.toContain(14);
});

test('a client that continues at a new gateway receives neither repeated nor older versions of a row', async () => {
  const publish = (id: string, version: number) => {
    announce(1);
    const last = stored.at(-1);
    if (last) stored[stored.length - 1] = { ...last, event: { ...last.event, id, version } };
  };
  publish('boat', 5);
  for (let n = 0; n < 6; n += 1) publish(`other ${n}`, 1);
  // A relay of the owner that was paused continues after another one.
  publish('boat', 4);
  publish('boat', 5);
  using member = await feed.join(() => undefined);
  publish('boat', 5);
  publish('boat', 6);

  const sent = async (from: Position) => (await readUntil(11, from)).sequences;
  expect(await sent({ created, sequence: 1 })).toEqual([2, 3, 4, 5, 6, 7, 11]);
  expect(await sent(member.end)).toEqual([11]);
});
