import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { startSignIn } from './sign-in.ts';

interface NoAccessProps {
  /** Why there is no access, unless the user has simply not signed in. */
  words: string | null;
  /** The path to show after the sign-in. */
  from: string;
  children?: ReactNode;
}

/** The page for somebody without a session, shown at the requested address. */
export function NoAccess({ words, from, children }: NoAccessProps) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isStarting, setIsStarting] = useState(false);

  const signIn = () => {
    setIsStarting(true);
    startSignIn(berth, window, from).then(
      (address) => location.assign(address),
      (error: Error) => {
        setRefusal(error.message);
        setIsStarting(false);
      },
    );
  };

  return (
    <main className="gate">
      <h1>Berth</h1>
      <p>Deploys packaged Helm charts onto many Kubernetes clusters.</p>
      <p role="status" className={words || refusal ? 'gate-why' : undefined}>
        {refusal ?? words}
      </p>
      {children ?? (
        <Button className="button primary" onPress={signIn} isDisabled={isStarting}>
          Sign in
        </Button>
      )}
      <a href="/api/v2/docs">API reference</a>
    </main>
  );
}
