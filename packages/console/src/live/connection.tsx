import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { berth } from '../api/berth.ts';
import { meQuery } from '../api/me.ts';
import { followChanges } from './follow-changes.ts';

export interface Connection {
  state: 'connecting' | 'live' | 'lost';
  /** Since when, in ms since 1970. */
  since: number;
}

const Current = createContext<Connection>({ state: 'connecting', since: 0 });

/** The state of the connection to the stream of events. Unless it is live, what is shown may be out of date. */
export const useConnection = (): Connection => use(Current);

/** Keeps its children up to date. */
export function Live({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [connection, setConnection] = useState<Connection>(() => ({ state: 'connecting', since: Date.now() }));

  useEffect(() => {
    const stop = new AbortController();
    const onState = (state: Connection['state']) => {
      if (!stop.signal.aborted)
        setConnection((before) => (before.state === state ? before : { state, since: Date.now() }));
    };
    followChanges({ berth, queries, onState, signal: stop.signal }).catch(() => {
      onState('lost');
      // If the session is refused, so is this read, and that ends the session.
      if (!stop.signal.aborted) void queries.invalidateQueries({ queryKey: meQuery.queryKey });
    });
    const onOffline = () => onState('lost');
    addEventListener('offline', onOffline);
    return () => {
      removeEventListener('offline', onOffline);
      stop.abort();
    };
  }, [queries]);

  return <Current value={connection}>{children}</Current>;
}
