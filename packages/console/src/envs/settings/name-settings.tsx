import { unwrap } from '@berth/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { Check } from '../../ui/inputs/check.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { Problem } from '../../ui/reading/problem.tsx';
import type { OfEnv } from '../facts/env-row.ts';
import { Meanwhile } from './meanwhile.tsx';
import { useBase } from './use-base.ts';

export function NameSettings(given: OfEnv) {
  const permission = useMay()('envs', 'update', { env_id: given.env.id }, { stricter: true });
  const base = useBase(given);
  const [name, setName] = useState(base.env.name);
  const [isOpenToNew, setIsOpenToNew] = useState(base.env.auto_add_new_users);
  const isChanged = name !== base.env.name || isOpenToNew !== base.env.auto_add_new_users;
  const save = useMutation({
    mutationFn: async () => {
      const body = { name, auto_add_new_users: isOpenToNew };
      const answer = await berth.envs.update({ id: base.env.id, body }, base.ifMatch);
      base.set({ env: unwrap(answer), etag: answer.ok ? answer.etag : null });
    },
    onSuccess: () => say('The env was changed'),
  });
  const take = () => {
    base.take();
    setName(given.env.name);
    setIsOpenToNew(given.env.auto_add_new_users);
    save.reset();
  };

  return (
    <section className="section">
      <header>
        <h2>Name and new users</h2>
      </header>
      {base.isOld && isChanged && <Meanwhile onTake={take} />}
      <TextInput label="Name" value={name} onChange={setName} maxLength={100} isDisabled={!permission.allowed} />
      <Check
        label="Everyone who signs in for the first time becomes a member"
        value={isOpenToNew}
        onChange={setIsOpenToNew}
        isDisabled={!permission.allowed}
      />
      {save.error && <Problem error={save.error} />}
      {permission.allowed ? (
        <Button
          className="button"
          isDisabled={!isChanged || name.trim() === '' || save.isPending}
          onPress={() => save.mutate()}
        >
          Save
        </Button>
      ) : (
        <p className="meta">Changed by {permission.needs}</p>
      )}
    </section>
  );
}
