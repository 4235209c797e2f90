import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { berth } from '../api/berth.ts';
import { NoAccess } from './no-access.tsx';
import { sessions } from '../api/session.ts';
import { finishSignIn } from './sign-in.ts';

// Taken from the address at once: a code must not stay in the history. Once per load, since a code is valid once.
let given: URLSearchParams | undefined;

/** Where the identity provider sends the browser back to. */
export function Callback() {
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<string | null>(null);

  useEffect(() => {
    if (given) return;
    given = new URLSearchParams(location.search);
    history.replaceState(null, '', location.pathname);
    finishSignIn(berth, window, given).then(
      ({ token, from }) => {
        sessions.start(token);
        void navigate({ to: from, replace: true });
      },
      (error: Error) => setRefusal(error.message),
    );
  }, [navigate]);

  return refusal === null ? <p role="status">Signing in …</p> : <NoAccess words={refusal} from="/" />;
}
