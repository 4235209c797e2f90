import { type Client, type EventsMissing, followEvents, type RowEvent } from '@berth/client';
import type { QueryClient } from '@tanstack/react-query';

export interface FollowChanges {
  berth: Pick<Client, 'events'>;
  queries: Pick<QueryClient, 'invalidateQueries'>;
  onState: (state: 'live' | 'lost') => void;
  signal: AbortSignal;
}

/** Events within this time are one reason to read again, so that a busy platform costs a few reads per second. */
const gatherMs = 250;

/** Reads again what is shown and has changed, until the signal aborts. Rejects where the platform refuses. */
export async function followChanges({ berth, queries, onState, signal }: FollowChanges): Promise<void> {
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFirst = true;

  const readAgain = () => {
    timer = undefined;
    for (const table of changed) void queries.invalidateQueries({ queryKey: table === everything ? [] : [table] });
    changed.clear();
  };
  const note = (event: RowEvent | EventsMissing) => {
    changed.add(event.kind === 'reset' ? everything : event.table);
    timer ??= setTimeout(readAgain, gatherMs);
  };
  const onConnection = (state: 'live' | 'lost') => {
    // Before the first connection there was no position to go on from.
    if (state === 'live' && isFirst) void queries.invalidateQueries({ queryKey: [] });
    if (state === 'live') isFirst = false;
    onState(state);
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  for await (const event of followEvents(berth, { signal, onState: onConnection })) note(event);
}

const everything = '';
