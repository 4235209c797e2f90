import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Copy } from '../ui/copy.tsx';
import type { TerminalSignIn } from './terminal-sign-in.ts';

/** Hands a code over once the user has confirmed that the terminal is theirs. */
export function AskForTerminal({ confirmation, to }: TerminalSignIn) {
  const [isConfirmed, setIsConfirmed] = useState(false);
  const confirm = () => {
    setIsConfirmed(true);
    if ('address' in to) location.replace(to.address);
  };
  if (isConfirmed && 'code' in to) {
    return (
      <main className="gate">
        <h1>Berth</h1>
        <p role="status">Paste this code into your terminal, and give it to nobody else:</p>
        <p>
          <code>{to.code}</code> <Copy text={to.code} what="the code" />
        </p>
      </main>
    );
  }
  return (
    <main className="gate">
      <h1>Berth</h1>
      <p role="status">A terminal asks to sign in as you.</p>
      <p>
        Continue only if you have just run <code>berth login</code> yourself and it shows
      </p>
      <p className="confirmation">
        <output>{confirmation}</output>
      </p>
      <p>If somebody else sent you here, or the text differs, close this page.</p>
      <Button className="button primary" onPress={confirm} isDisabled={isConfirmed}>
        It shows the same: sign in
      </Button>
    </main>
  );
}
