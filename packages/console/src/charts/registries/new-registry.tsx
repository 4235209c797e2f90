import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { Choose } from '../../ui/inputs/choose.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Ask } from '../../ui/page/ask.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { CredentialInputs } from './change-registry.tsx';

/** Adds a repository to those that the configuration of Berth names. */
export function NewRegistry({ onClose }: { onClose: () => void }) {
  const [provider, setProvider] = useState<'Oci' | 'HelmRepo'>('Oci');
  const [url, setUrl] = useState('');
  const [repository, setRepository] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const isOci = provider === 'Oci';
  const hasCredentials = username !== '' && password !== '';
  return (
    <Ask
      title="Add a registry"
      action="Add"
      isReady={
        url.trim() !== '' && repository.trim() !== '' && (hasCredentials || (username === '' && password === ''))
      }
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          provider,
          url,
          repo_name: repository,
          ...(hasCredentials && { credentials: { username, password } }),
        };
        unwrap(await berth.helmRegistries.create({ body }));
        say(`${repository} is scanned from now on`);
      }}
    >
      <Choose
        label="Type"
        choices={[
          { id: 'Oci', words: 'OCI registry' },
          { id: 'HelmRepo', words: 'Chart repository: an index.yaml over HTTPS' },
        ]}
        value={provider}
        onChange={(id) => setProvider(id === 'HelmRepo' ? 'HelmRepo' : 'Oci')}
      />
      <TextInput
        label="URL"
        help={
          isOci ? 'Such as https://registry.example.com.' : 'Such as https://charts.example.com, without index.yaml.'
        }
        value={url}
        onChange={setUrl}
        maxLength={1_000}
        spellCheck="false"
        isRequired
        autoFocus
      />
      <TextInput
        label={isOci ? 'Repository' : 'Chart'}
        help={
          isOci
            ? 'Such as charts/shop. One repository holds the versions of one chart.'
            : 'The name of the chart in the index.'
        }
        value={repository}
        onChange={setRepository}
        maxLength={255}
        spellCheck="false"
        isRequired
      />
      <CredentialInputs username={username} password={password} onChange={[setUsername, setPassword]} />
    </Ask>
  );
}
