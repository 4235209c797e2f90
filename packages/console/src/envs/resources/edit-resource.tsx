import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { type One, oneOf, type Row } from '../../api/reads.ts';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { AskForm } from '../../ui/page/ask.tsx';
import { Dialog } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { isJsonObject, jsonText } from '../read-json.ts';
import { PropsInput, readProps } from './props-input.tsx';
import { changedProps, type ResourceType } from './resource-type.ts';

interface EditResourceProps {
  id: string;
  type: ResourceType;
  onClose: () => void;
}

export function EditResource({ id, type, onClose }: EditResourceProps) {
  const resource = useQuery({ ...oneOf('deploymentResources', id), staleTime: 0, gcTime: 0 });
  return (
    <Dialog title={`Change the ${type.singular}`} isOpen onClose={onClose}>
      <Reading of={resource} rows={3}>
        {(read) => <Fields read={read} type={type} onClose={onClose} />}
      </Reading>
    </Dialog>
  );
}

function Fields({ read, type, onClose }: Omit<EditResourceProps, 'id'> & { read: One<Row<'deploymentResources'>> }) {
  // As it was when the dialog opened: a change that came in between is refused, not overwritten.
  const [{ row, etag }] = useState(read);
  const before = isJsonObject(row.props) ? row.props : {};
  const [name, setName] = useState(row.name);
  const [text, setText] = useState(jsonText(before));
  const props = readProps(text);
  return (
    <AskForm
      action="Change"
      isReady={name.trim() !== '' && 'value' in props}
      onCancel={onClose}
      onSubmit={async () => {
        if ('error' in props) return;
        const changed = changedProps(before, props.value);
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
      <PropsInput type={type} text={text} onChange={setText} />
    </AskForm>
  );
}
