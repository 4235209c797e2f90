import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { AskForm } from '../../ui/page/ask.tsx';
import { queuedBy } from '../facts/queued.tsx';
import { ContentsInput } from './contents-input.tsx';
import { type ChangeSecretProps, type ReadSecret, SecretDialog, SecretImpact } from './secret-of.tsx';

export function ReplaceContents(props: ChangeSecretProps) {
  return (
    <SecretDialog id={props.id} title="Replace the contents" onClose={props.onClose}>
      {(secret) => <Fields {...props} secret={secret} />}
    </SecretDialog>
  );
}

function Fields({ secret: { row, etag }, onClose, onDone }: ChangeSecretProps & { secret: ReadSecret }) {
  const [contents, setContents] = useState('');
  return (
    <AskForm
      action="Replace"
      isReady={contents !== ''}
      onCancel={onClose}
      onSubmit={async () => {
        // Not a mutation of the query cache, which would keep the contents for a while.
        const answer = await berth.secrets.update(
          { id: row.id, body: { contents } },
          etag === null ? {} : { ifMatch: etag },
        );
        unwrap(answer);
        onDone(queuedBy(`The contents of ${row.name} were replaced`, answer));
        onClose();
      }}
    >
      <p className="muted">
        {row.collection} / {row.name}
      </p>
      <ContentsInput value={contents} onChange={setContents} autoFocus />
      <SecretImpact id={row.id} />
    </AskForm>
  );
}
