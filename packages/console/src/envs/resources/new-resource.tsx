import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import type { Row } from '../../api/reads.ts';
import { Choose } from '../../ui/inputs/choose.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Ask } from '../../ui/page/ask.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { PropsInput, readProps } from './props-input.tsx';
import type { ResourceType } from './resource-type.ts';

interface NewResourceProps {
  typeId: string;
  type: ResourceType;
  /** The enabled deployments that can manage it. */
  managers: Row<'deployments'>[];
  onClose: () => void;
}

export function NewResource({ typeId, type, managers, onClose }: NewResourceProps) {
  const [first] = managers;
  const [deploymentId, setDeploymentId] = useState(first?.id ?? null);
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const props = readProps(text);
  return (
    <Ask
      title={`New ${type.singular}`}
      action="Create"
      isReady={deploymentId !== null && name.trim() !== '' && 'value' in props}
      onClose={onClose}
      onSubmit={async () => {
        if (deploymentId === null || 'error' in props) return;
        const body = { type_id: typeId, deployment_id: deploymentId, name, props: props.value };
        unwrap(await berth.deploymentResources.create({ body }));
        say(`${name} is being created`);
      }}
    >
      {managers.length === 0 ? (
        <p className="notice warn">No enabled deployment of the kind is in this env, so none can manage it.</p>
      ) : (
        <Choose
          label="Managed by"
          choices={managers.map(({ id, name: words }) => ({ id, words: words || id.slice(0, 8) }))}
          value={deploymentId}
          onChange={setDeploymentId}
        />
      )}
      <TextInput label="Name" value={name} onChange={setName} maxLength={100} isRequired autoFocus />
      <PropsInput type={type} text={text} onChange={setText} />
    </Ask>
  );
}
