import { ProblemError } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { Button } from 'react-aria-components/Button';
import { meQuery } from '../api/me.ts';
import { Problem } from '../ui/reading/problem.tsx';
import { NoAccess } from './no-access.tsx';
import { sessions } from '../api/session.ts';

const askAgainMs = 3_000;

/** Shows its content to an active user, and tells others why it does not. The address stays the requested one. */
export function Gate({ children }: { children: ReactNode }) {
  const { token, ended } = useSyncExternalStore(sessions.subscribe, sessions.current);
  const from = useLocation({ select: ({ href }) => href });
  const me = useQuery({
    ...meQuery,
    enabled: token !== null,
    // An inactive user gets in as soon as a site admin has activated the account.
    refetchInterval: ({ state }) => (isInactive(state.error) ? askAgainMs : false),
  });

  if (token === null) return <NoAccess words={ended} from={from} />;
  if (isInactive(me.error)) {
    return (
      <NoAccess
        words="Your account is not active yet. A site admin has to activate it; this page then goes on by itself."
        from={from}
      >
        <Button className="button" onPress={() => sessions.end()}>
          Sign out
        </Button>
      </NoAccess>
    );
  }
  if (me.data) return children;
  if (me.error) {
    return (
      <main className="gate">
        <Problem error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return <main className="gate" aria-busy="true" />;
}

const isInactive = (error: unknown): boolean => error instanceof ProblemError && error.problem.code === 'user_inactive';
