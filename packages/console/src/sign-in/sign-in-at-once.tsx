import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { berth } from '../api/berth.ts';
import { sessions } from '../api/session.ts';
import { NoAccess } from './no-access.tsx';
import { startSignIn } from './sign-in.ts';

/** Leads to the identity provider at once, without a press of Sign in. Somebody who is signed in already gets to the console. */
export function SignInAtOnce() {
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<string | null>(null);

  useEffect(() => {
    if (sessions.current().token !== null) {
      void navigate({ to: '/', replace: true });
      return;
    }
    // Replaced, so that going back from the provider does not lead straight to it again.
    startSignIn(berth, window, '/').then(
      (address) => location.replace(address),
      (error: Error) => setRefusal(error.message),
    );
  }, [navigate]);

  return refusal === null ? <p role="status">Signing in …</p> : <NoAccess words={refusal} from="/" />;
}
