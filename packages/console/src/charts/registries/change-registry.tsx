import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { nameIn, useKinds } from '../../api/names.ts';
import type { Row } from '../../api/reads.ts';
import { Check } from '../../ui/inputs/check.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Ask } from '../../ui/page/ask.tsx';
import { Confirm } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';

export interface RegistryDialogProps {
  registry: Row<'helmRegistries'>;
  onClose: () => void;
}

type Changes = NonNullable<Parameters<typeof berth.helmRegistries.update>[0]['body']>;

/** Saves a change to a registry as it was when the dialog opened. If it has changed since, saving is refused. */
function useUpdate({ id }: Row<'helmRegistries'>): (body: Changes) => Promise<void> {
  const [opened] = useState(() => berth.helmRegistries.get({ id }));
  return async (body) => {
    const read = await opened;
    unwrap(read);
    const options = read.ok && read.etag !== null ? { ifMatch: read.etag } : {};
    unwrap(await berth.helmRegistries.update({ id, body }, options));
  };
}

export function ChangeIcon({ registry, onClose }: RegistryDialogProps) {
  const [icon, setIcon] = useState(registry.fa_icon);
  const update = useUpdate(registry);
  return (
    <Ask
      title={`Icon of ${registry.repo_name}`}
      action="Save"
      onClose={onClose}
      onSubmit={async () => {
        await update({ fa_icon: icon });
        say(`${registry.repo_name} has the icon ${icon}`);
      }}
    >
      <TextInput
        label="Font Awesome icon"
        help="Its name without fa-, such as globe. Clients of the API show it."
        value={icon}
        onChange={setIcon}
        maxLength={100}
        autoFocus
      />
    </Ask>
  );
}

export function RenameKind({ registry: { kind_id }, onClose }: RegistryDialogProps) {
  const before = nameIn(useKinds(), kind_id);
  const [name, setName] = useState(before);
  return (
    <Ask
      title={`Rename the kind ${before}`}
      action="Rename"
      isReady={name.trim() !== '' && name !== before}
      onClose={onClose}
      onSubmit={async () => {
        unwrap(await berth.deploymentKinds.update({ id: kind_id, body: { name } }));
        say(`The kind ${before} is now ${name}`);
      }}
    >
      <TextInput
        label="Name"
        help="Shown before the name of each of its deployments. Nothing that runs changes."
        value={name}
        onChange={setName}
        maxLength={100}
        isRequired
        autoFocus
      />
    </Ask>
  );
}

/** What is typed is kept in the dialog alone, and vanishes with it. */
export function ChangeCredentials({ registry, onClose }: RegistryDialogProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isNone, setIsNone] = useState(false);
  const update = useUpdate(registry);
  return (
    <Ask
      title={`Credentials for ${registry.repo_name}`}
      action="Save"
      isReady={isNone || (username !== '' && password !== '')}
      onClose={onClose}
      onSubmit={async () => {
        await update({ credentials: isNone ? null : { username, password } });
        say(isNone ? `${registry.repo_name} is read without credentials` : 'The credentials were replaced');
      }}
    >
      <CredentialInputs
        username={username}
        password={password}
        isDisabled={isNone}
        onChange={[setUsername, setPassword]}
      />
      <Check label="Read it without credentials" value={isNone} onChange={setIsNone} />
    </Ask>
  );
}

interface CredentialInputsProps {
  username: string;
  password: string;
  isDisabled?: boolean;
  onChange: [username: (text: string) => void, password: (text: string) => void];
}

export function CredentialInputs({ username, password, isDisabled = false, onChange }: CredentialInputsProps) {
  const [setUsername, setPassword] = onChange;
  return (
    <>
      <TextInput
        label="User name"
        value={username}
        onChange={setUsername}
        maxLength={255}
        autoComplete="off"
        isDisabled={isDisabled}
      />
      <TextInput
        label="Password"
        help="Stored sealed. Nobody can read it here afterwards."
        type="password"
        value={password}
        onChange={setPassword}
        maxLength={4_096}
        autoComplete="new-password"
        isDisabled={isDisabled}
      />
    </>
  );
}

export function ChangePushToken({ registry, onClose }: RegistryDialogProps) {
  const [token, setToken] = useState('');
  const [isNone, setIsNone] = useState(false);
  const update = useUpdate(registry);
  return (
    <Ask
      title={`Push token of ${registry.repo_name}`}
      action="Save"
      isReady={isNone || token.length >= 16}
      onClose={onClose}
      onSubmit={async () => {
        await update({ push_token: isNone ? null : token });
        say(isNone ? `Push events of ${registry.repo_name} are refused` : 'The push token was replaced');
      }}
    >
      <TextInput
        label="Push token"
        help="At least 16 characters. The registry sends it with each push event, which proves where the event comes from."
        type="password"
        value={token}
        onChange={setToken}
        maxLength={255}
        autoComplete="new-password"
        isDisabled={isNone}
      />
      <Check label="Accept no push events" value={isNone} onChange={setIsNone} />
    </Ask>
  );
}

export function DeleteRegistry({ registry: { id, repo_name, domain_name }, onClose }: RegistryDialogProps) {
  return (
    <Confirm
      title={`Delete ${domain_name}/${repo_name}`}
      action="Delete"
      typed={repo_name}
      destroys
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        unwrap(await berth.helmRegistries.delete({ id }));
        say(`${repo_name} was deleted`);
      }}
    >
      <p>
        Berth forgets the repository and its charts. In the registry itself nothing is deleted. While a deployment
        refers to one of its charts, it cannot be deleted.
      </p>
    </Confirm>
  );
}
