import { TextInput } from '../../ui/inputs/text-input.tsx';

interface ContentsInputProps {
  value: string;
  onChange: (contents: string) => void;
  autoFocus?: boolean;
}

/** What is typed is kept in the dialog alone, and vanishes with it. */
export function ContentsInput({ value, onChange, autoFocus = false }: ContentsInputProps) {
  return (
    <TextInput
      label="Contents"
      help="Stored exactly as typed, line breaks included. Nobody can read them here afterwards."
      value={value}
      onChange={onChange}
      rows={6}
      autoComplete="off"
      autoCorrect="off"
      spellCheck="false"
      isRequired
      autoFocus={autoFocus}
    />
  );
}
