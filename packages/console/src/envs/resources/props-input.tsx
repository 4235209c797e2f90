import { TextInput } from '../../ui/inputs/text-input.tsx';
import { isJsonObject, readJson } from '../read-json.ts';
import type { ResourceType } from './resource-type.ts';

interface PropsInputProps {
  type: ResourceType;
  text: string;
  onChange: (text: string) => void;
}

/** The props that somebody typed, or why they are none. */
export function readProps(text: string) {
  const read = readJson(text);
  if ('error' in read) return read;
  if (read.value === null) return { value: {} };
  return isJsonObject(read.value) ? { value: read.value } : { error: 'must be a JSON object, such as {"size": 1}' };
}

export function PropsInput({ type, text, onChange }: PropsInputProps) {
  const read = readProps(text);
  return (
    <>
      <TextInput
        label="Properties"
        help="A JSON object with a value for each input of the type."
        value={text}
        onChange={onChange}
        rows={8}
        spellCheck="false"
        autoComplete="off"
        error={'error' in read ? read.error : undefined}
      />
      {type.inputs.length > 0 && (
        <ul className="meta inputs-of-type">
          {type.inputs.map(({ id, label, isRequired, isSensitive }) => (
            <li key={id}>
              <code>{id}</code> {label !== id && label}
              {isRequired && ', required'}
              {isSensitive && ', never shown again; what is left out stays as it is'}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
