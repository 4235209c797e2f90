import { setTimeout } from 'node:timers/promises';
import { type Client, followEvents, unwrap } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';
import type { Row } from '../../names/kinds.ts';

interface Watched {
  client: Client;
  /** The name of their events. */
  table: string;
  read: () => Promise<Row[]>;
  show: (rows: readonly Row[]) => Promise<void>;
  showRemoved: (row: Row) => void;
  /** Resolves once the reader of the output has gone. */
  over: Promise<void>;
}

/** Changes within this time are shown together, so that a rollout does not read the list for each of its steps. */
const gatherMs = 250;

/** Shows rows, then each that has changed, until the reader goes. Nothing is missed: the position is taken before the first read. */
export async function watchRows({ client, table, read, show, showRemoved, over }: Watched): Promise<void> {
  const stopping = new AbortController();
  const after = await firstPosition(client, table);
  let shown = await read();
  await show(shown);

  let hear = (): void => undefined;
  let heard = Promise.resolve();
  const listen = (): void => void (heard = new Promise((resolve) => (hear = resolve)));
  listen();
  const following = (async () => {
    for await (const _ of followEvents(client, { tables: table, signal: stopping.signal, after })) hear();
  })();
  try {
    const ended = over.then(() => 'over' as const);
    while ((await Promise.race([heard, following, ended])) !== 'over') {
      await setTimeout(gatherMs);
      listen();
      const rows = await read();
      await show(changedRows(shown, rows));
      for (const row of shown) if (!rows.some(({ id }) => id === row.id)) showRemoved(row);
      shown = rows;
    }
  } finally {
    stopping.abort();
    await following.catch(() => undefined);
  }
}

/** The position that a stream begins with. */
async function firstPosition({ events }: Client, tables: string): Promise<string> {
  const opened = new AbortController();
  try {
    const stream = unwrap(await events.stream({ query: { tables } }, { signal: opened.signal }));
    for await (const { id } of stream.events()) return id;
  } finally {
    opened.abort();
  }
  throw new CliFailure('failed', 'the stream of events ended before it began: try again');
}

/** The rows that were not there, or differ. */
export function changedRows(before: readonly Row[], rows: readonly Row[]): Row[] {
  const known = new Map(before.map((row) => [row.id, JSON.stringify(row)]));
  return rows.filter((row) => known.get(row.id) !== JSON.stringify(row));
}
