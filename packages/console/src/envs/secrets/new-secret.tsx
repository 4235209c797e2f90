import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Ask } from '../../ui/page/ask.tsx';
import { say } from '../../ui/page/toasts.tsx';
import type { EnvRow } from '../facts/env-row.ts';
import { ContentsInput } from './contents-input.tsx';

export function NewSecret({ env, onClose }: { env: EnvRow; onClose: () => void }) {
  const [collection, setCollection] = useState('');
  const [name, setName] = useState('');
  const [contents, setContents] = useState('');
  return (
    <Ask
      title={`New secret in ${env.name}`}
      action="Create"
      isReady={collection.trim() !== '' && name.trim() !== '' && contents !== ''}
      onClose={onClose}
      onSubmit={async () => {
        unwrap(await berth.secrets.create({ body: { env_id: env.id, collection, name, contents } }));
        say(`${name} is stored`);
      }}
    >
      <TextInput
        label="Collection"
        help="The list that forms choose from, such as tokens. It cannot be changed later."
        value={collection}
        onChange={setCollection}
        maxLength={100}
        isRequired
        autoFocus
      />
      <TextInput label="Name" value={name} onChange={setName} maxLength={100} isRequired />
      <ContentsInput value={contents} onChange={setContents} />
    </Ask>
  );
}
