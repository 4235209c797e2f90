import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { berth } from '../api/berth.ts';
import { sessions } from '../api/session.ts';
import { AskForTerminal } from './ask-for-terminal.tsx';
import { NoAccess } from './no-access.tsx';
import { finishSignIn, isOfThisTab } from './sign-in.ts';
import { readTerminalSignIn, type TerminalSignIn } from './terminal-sign-in.ts';

// Taken from the address at once, since a code must not stay in the history; and once per load, since a code is valid once.
let given: URLSearchParams | undefined;

/** The page to which the identity provider sends the browser back. */
export function Callback() {
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<string | null>(null);
  const [terminal, setTerminal] = useState<TerminalSignIn | null>(null);

  useEffect(() => {
    if (given) return;
    given = new URLSearchParams(location.search);
    history.replaceState(null, '', location.pathname);
    const finish = async (search: URLSearchParams) => {
      const ofTerminal = isOfThisTab(window, search) ? null : await readTerminalSignIn(berth, search);
      if (ofTerminal) return setTerminal(ofTerminal);
      const { token, from } = await finishSignIn(berth, window, search);
      sessions.start(token);
      await navigate({ to: from, replace: true });
    };
    finish(given).catch((error: Error) => setRefusal(error.message));
  }, [navigate]);

  if (terminal) return <AskForTerminal {...terminal} />;
  return refusal === null ? <p role="status">Signing in …</p> : <NoAccess words={refusal} from="/" />;
}
