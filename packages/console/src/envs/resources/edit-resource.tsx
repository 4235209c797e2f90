import { type JsonObject, unwrap } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { berth } from '../../api/berth.ts';
import { type One, oneOf, type Row } from '../../api/reads.ts';
import { formOf } from '../../form/parsed-form.ts';
import { ValuesForm } from '../../form/values-form.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { AskForm } from '../../ui/page/ask.tsx';
import { Dialog } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { arePropsComplete } from './are-props-complete.ts';
import { changedProps, type ResourceType } from './resource-type.ts';

interface EditResourceProps {
  id: string;
  envId: string;
  type: ResourceType;
  onClose: () => void;
}

export function EditResource({ id, envId, type, onClose }: EditResourceProps) {
  const resource = useQuery({ ...oneOf('deploymentResources', id), staleTime: 0, gcTime: 0 });
  return (
    <Dialog title={`Change the ${type.singular}`} isOpen onClose={onClose}>
      <Reading of={resource} rows={3}>
        {(read) => <Fields read={read} envId={envId} type={type} onClose={onClose} />}
      </Reading>
    </Dialog>
  );
}

function Fields({
  read,
  envId,
  type,
  onClose,
}: Omit<EditResourceProps, 'id'> & { read: One<Row<'deploymentResources'>> }) {
  // As it was when the dialog opened. If it has changed since, saving is refused.
  const [{ row, etag }] = useState(read);
  const before = isJsonObject(row.props) ? row.props : {};
  const [name, setName] = useState(row.name);
  const form = useMemo(() => formOf(type.valuesUi), [type.valuesUi]);
  const [config, setConfig] = useState<JsonObject>(before);
  return (
    <AskForm
      action="Change"
      isReady={name.trim() !== '' && arePropsComplete(form, config, 'change')}
      onCancel={onClose}
      onSubmit={async () => {
        const changed = changedProps(before, config);
        const body = {
          ...(name !== row.name && { name }),
          ...(Object.keys(changed).length > 0 && { props: changed }),
        };
        unwrap(await berth.deploymentResources.update({ id: row.id, body }, etag === null ? {} : { ifMatch: etag }));
        say(`${name} is being changed`);
        onClose();
      }}
    >
      <TextInput label="Name" value={name} onChange={setName} maxLength={100} isRequired autoFocus />
      {form && <ValuesForm form={form} config={config} onChange={setConfig} envId={envId} before={before} />}
      {form?.inputs.some(({ sensitive }) => sensitive) && (
        <p className="meta">What is sensitive is never shown: left empty, it stays as it is.</p>
      )}
    </AskForm>
  );
}
