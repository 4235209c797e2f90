import { type Client, followEvents } from '@berth/client';
import type { QueryClient } from '@tanstack/react-query';
import { everything, readAgain } from './read-again.ts';

export interface FollowChanges {
  berth: Pick<Client, 'events'>;
  queries: Pick<QueryClient, 'invalidateQueries' | 'getQueryCache'>;
  onState: (state: 'live' | 'lost') => void;
  signal: AbortSignal;
}

/** Reads again what is shown and has changed, until the signal aborts. Rejects if the platform refuses. */
export async function followChanges({ berth, queries, onState, signal }: FollowChanges): Promise<void> {
  const { changed, stop } = readAgain(queries);
  let isFirst = true;

  const onConnection = (state: 'live' | 'lost') => {
    // Before the first connection there was no position to resume from.
    if (state === 'live' && isFirst) changed(everything);
    if (state === 'live') isFirst = false;
    onState(state);
  };
  signal.addEventListener('abort', stop, { once: true });
  for await (const event of followEvents(berth, { signal, onState: onConnection })) {
    changed(event.kind === 'reset' ? everything : event.table);
  }
}
