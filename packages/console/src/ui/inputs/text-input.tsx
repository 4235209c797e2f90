import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField, type TextFieldProps } from 'react-aria-components/TextField';

interface TextInputProps extends Omit<TextFieldProps, 'children' | 'className'> {
  label: string;
  help?: string | undefined;
  /** The rule that the value breaks. */
  error?: string | undefined;
  placeholder?: string;
  rows?: number;
}

/** A text input of one line or several, with label, help and error. */
export function TextInput({ label, help, error, placeholder, rows, ...field }: TextInputProps) {
  return (
    <TextField {...field} className="field" isInvalid={error !== undefined}>
      {label !== '' && (
        <Label>
          {label}
          {field.isRequired && <span aria-hidden="true"> *</span>}
        </Label>
      )}
      {help !== undefined && <Text slot="description">{help}</Text>}
      {rows === undefined ? (
        <Input placeholder={placeholder ?? ''} />
      ) : (
        <TextArea rows={rows} placeholder={placeholder ?? ''} />
      )}
      <FieldError>{error}</FieldError>
    </TextField>
  );
}
