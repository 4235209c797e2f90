import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { exactTime } from '../ui/age.tsx';
import { Copy } from '../ui/copy.tsx';
import { Choose } from '../ui/inputs/choose.tsx';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { AskForm } from '../ui/page/ask.tsx';
import { Dialog } from '../ui/page/dialog.tsx';
import { expiryAt, expiryChoices } from './expiry.ts';

interface IssueTokenProps {
  title: string;
  /** What the holder of the token may do. */
  allows: string;
  create: (token: { name: string; expires_at: string | null }) => Promise<{ created_token: string }>;
  onClose: () => void;
}

/**
 * Asks for a name and an expiry, then shows the value of the token once. The value is kept in the state of this dialog alone, not in
 * a cache or an address, and vanishes with it.
 */
export function IssueToken({ title, allows, create, onClose }: IssueTokenProps) {
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<string>(expiryChoices[1].id);
  const [value, setValue] = useState<string | null>(null);
  const expiresAt = expiryAt(expiry, new Date());

  if (value !== null) {
    return (
      <Dialog title={`${name} is created`} isOpen onClose={onClose}>
        <p>Copy its value now: it is not shown again. {allows}</p>
        <div className="token-value">
          <code aria-label="Value of the token">{value}</code>
          <Copy text={value} what="the token" />
        </div>
        <p className="meta">
          Send it in the header <code>x-service-token</code>.
        </p>
        <div className="dialog-actions">
          <Button className="button primary" onPress={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <AskForm
        action="Create"
        isReady={name.trim() !== ''}
        onCancel={onClose}
        onSubmit={async () => setValue((await create({ name, expires_at: expiresAt })).created_token)}
      >
        <TextInput
          label="Name"
          help="Where it is used, such as deploys of the shop."
          value={name}
          onChange={setName}
          maxLength={100}
          isRequired
          autoFocus
        />
        <Choose
          label="Expires"
          choices={expiryChoices}
          value={expiry}
          onChange={(id) => id !== null && setExpiry(id)}
        />
        <p className="meta">
          {expiresAt === null ? 'It is valid until somebody revokes it.' : `It is valid until ${exactTime(expiresAt)}.`}
        </p>
      </AskForm>
    </Dialog>
  );
}
