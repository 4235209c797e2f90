import { unwrap } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../api/berth.ts';
import { Check } from '../ui/inputs/check.tsx';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { Ask } from '../ui/page/ask.tsx';

export function NewEnvDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [isOpenToNew, setIsOpenToNew] = useState(false);
  return (
    <Ask
      title="New env"
      action="Create"
      isReady={name.trim() !== ''}
      onClose={onClose}
      onSubmit={async () => {
        const env = unwrap(await berth.envs.create({ body: { name, auto_add_new_users: isOpenToNew } }));
        await navigate({ to: '/envs/$id/{-$tab}', params: { id: env.id, tab: undefined } });
      }}
    >
      <TextInput
        label="Name"
        help="Such as production. No other env has the same name, even in other case."
        value={name}
        onChange={setName}
        maxLength={100}
        isRequired
        autoFocus
      />
      <Check
        label="Everyone who signs in for the first time becomes a member"
        value={isOpenToNew}
        onChange={setIsOpenToNew}
      />
    </Ask>
  );
}
