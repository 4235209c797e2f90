import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { useUsers } from '../../api/names.ts';
import { Choose } from '../../ui/inputs/choose.tsx';
import { Pick } from '../../ui/inputs/pick.tsx';
import { Ask } from '../../ui/page/ask.tsx';
import { say } from '../../ui/page/toasts.tsx';
import type { EnvRow } from '../facts/env-row.ts';
import type { Member } from './change-roles.ts';

interface AddMemberProps {
  env: EnvRow;
  members: readonly Member[];
  onClose: () => void;
}

const most = 50;

export function AddMember({ env, members, onClose }: AddMemberProps) {
  const users = useUsers();
  const [userId, setUserId] = useState<string | null>(null);
  const [role, setRole] = useState<Member['role']>('User');
  const [search, setSearch] = useState('');
  const wordsOf = ({ display_name, email }: { display_name: string; email: string | null }) =>
    `${display_name} ${email ?? ''}`.toLowerCase();
  const others = [...users.values()]
    .filter((user) => !members.some(({ user_id }) => user_id === user.id))
    .filter((user) => wordsOf(user).includes(search.toLowerCase()))
    .sort((a, b) => a.display_name.localeCompare(b.display_name));
  const name = users.get(userId ?? '')?.display_name ?? null;

  return (
    <Ask
      title={`Add a member to ${env.name}`}
      action="Add"
      isReady={userId !== null}
      onClose={onClose}
      onSubmit={async () => {
        if (userId === null) return;
        unwrap(await berth.envUserPermissions.create({ body: { env_id: env.id, user_id: userId, role } }));
        say(`${name} is a member of ${env.name}`);
      }}
    >
      <Pick
        label="Person"
        help="Everyone who has signed in once is in this list."
        options={others.slice(0, most).map((user) => ({
          id: user.id,
          words: user.display_name,
          note: [user.email, user.is_active ? null : 'not active yet'].filter((part) => part !== null).join(' · '),
        }))}
        value={userId}
        onChange={setUserId}
        shown={name}
        onSearch={setSearch}
        foot={others.length > most ? `${others.length - most} more: type a part of the name` : undefined}
        isRequired
      />
      <Choose
        label="Role in the env"
        choices={[
          { id: 'User', words: 'User: sees the env, and changes the kinds that they have a role for' },
          { id: 'Admin', words: 'Admin: changes everything in the env' },
        ]}
        value={role}
        onChange={(id) => setRole(id === 'Admin' ? 'Admin' : 'User')}
      />
    </Ask>
  );
}
