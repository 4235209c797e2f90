import { unwrap } from '@berth/client';
import type { JsonObject } from '@berth/client';
import { useMemo, useState } from 'react';
import { berth } from '../../api/berth.ts';
import type { Row } from '../../api/reads.ts';
import { configFor, initialConfig } from '../../form/config.ts';
import { formOf } from '../../form/parsed-form.ts';
import { ValuesForm } from '../../form/values-form.tsx';
import { Choose } from '../../ui/inputs/choose.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Ask } from '../../ui/page/ask.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { arePropsComplete } from './are-props-complete.ts';
import type { ResourceType } from './resource-type.ts';

interface NewResourceProps {
  envId: string;
  typeId: string;
  type: ResourceType;
  /** The enabled deployments that can manage it. */
  managers: Row<'deployments'>[];
  onClose: () => void;
}

export function NewResource({ envId, typeId, type, managers, onClose }: NewResourceProps) {
  const [first] = managers;
  const [deploymentId, setDeploymentId] = useState(first?.id ?? null);
  const [name, setName] = useState('');
  const form = useMemo(() => formOf(type.valuesUi), [type.valuesUi]);
  const [config, setConfig] = useState<JsonObject>(() => initialConfig(form));
  return (
    <Ask
      title={`New ${type.singular}`}
      action="Create"
      isReady={deploymentId !== null && name.trim() !== '' && arePropsComplete(form, config, 'new')}
      onClose={onClose}
      onSubmit={async () => {
        if (deploymentId === null) return;
        const body = { type_id: typeId, deployment_id: deploymentId, name, props: configFor(form, config) };
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
      {form && <ValuesForm form={form} config={config} onChange={setConfig} envId={envId} />}
    </Ask>
  );
}
