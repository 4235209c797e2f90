import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { AskForm } from '../../ui/page/ask.tsx';
import { queuedBy } from '../facts/queued.tsx';
import { type ChangeSecretProps, type ReadSecret, SecretDialog, SecretImpact } from './secret-of.tsx';

export function RenameSecret(props: ChangeSecretProps) {
  return (
    <SecretDialog id={props.id} title="Rename the secret" onClose={props.onClose}>
      {(secret) => <Fields {...props} secret={secret} />}
    </SecretDialog>
  );
}

function Fields({ secret: { row, etag }, onClose, onDone }: ChangeSecretProps & { secret: ReadSecret }) {
  const [name, setName] = useState(row.name);
  return (
    <AskForm
      action="Rename"
      isReady={name.trim() !== '' && name !== row.name}
      onCancel={onClose}
      onSubmit={async () => {
        const answer = await berth.secrets.update(
          { id: row.id, body: { name } },
          etag === null ? {} : { ifMatch: etag },
        );
        unwrap(answer);
        onDone(queuedBy(`${row.name} is now ${name}`, answer));
        onClose();
      }}
    >
      <TextInput
        label="Name"
        help={`It must differ from those of ${row.collection} in this env. Deployments that use the secret keep using it.`}
        value={name}
        onChange={setName}
        maxLength={100}
        isRequired
        autoFocus
      />
      <SecretImpact id={row.id} />
    </AskForm>
  );
}
