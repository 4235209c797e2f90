import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Icon } from './icons.tsx';

/** A button that copies a text and confirms it. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    });
  };
  return (
    <Button className="button bare small" onPress={copy} aria-label={copied ? `Copied ${what}` : `Copy ${what}`}>
      <Icon name={copied ? 'check' : 'copy'} />
    </Button>
  );
}
