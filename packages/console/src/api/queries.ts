import { ProblemError } from '@berth/client';
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { sessions } from './session.ts';

/** What was read, with keys that begin with the table: `['deployments', …]` is read again when a row of that table changes. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: endRefusedSession }),
  defaultOptions: {
    // The client repeats reads itself, and events say what is out of date.
    queries: { retry: false, staleTime: 30_000, gcTime: 60_000, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { onError: endRefusedSession, networkMode: 'always' },
  },
});

/** Repeats all reads that failed. Where one fails, others usually fail too, such as the names in its rows. */
export const readFailedAgain = (): void =>
  void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });

// Nothing of one identity is shown to the next.
let { token } = sessions.current();
sessions.subscribe(() => {
  if (sessions.current().token === token) return;
  token = sessions.current().token;
  queries.clear();
});

/** Ends a session that is refused, for whatever reason. Only an inactive user keeps it, for the time after the activation. */
function endRefusedSession(error: Error): void {
  if (error instanceof ProblemError && error.problem.status === 401 && error.problem.code !== 'user_inactive') {
    sessions.end('Your session has ended. Sign in again to go on where you were.');
  }
}
