import type { JsonValue } from '@berth/client';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { TextInput } from '../ui/inputs/text-input.tsx';
import type { ControlProps } from './control.ts';
import { wordsOf } from './errors.ts';

const textOf = (value: JsonValue | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const named = ({ label, name }: ControlProps) => (label === '' ? { 'aria-label': name } : {});

export function TextValue(props: ControlProps) {
  const { input, label, help, value, onChange, errors, isDisabled } = props;
  const [isShown, setIsShown] = useState(false);
  const text = textOf(value);
  const [isLong] = useState(() => text.includes('\n'));
  const field = (
    <TextInput
      label={label}
      {...named(props)}
      help={help}
      error={wordsOf(errors)}
      value={text}
      onChange={(next) => onChange(next === '' && label !== '' ? undefined : next)}
      isRequired={input.required && label !== ''}
      isDisabled={isDisabled}
      {...(isLong && { rows: 4 })}
      {...(input.sensitive && { type: isShown ? 'text' : 'password', autoComplete: 'off' })}
    />
  );
  if (!input.sensitive) return field;
  return (
    <div className="sensitive">
      {field}
      <Button
        className="button bare small"
        onPress={() => setIsShown(!isShown)}
        aria-label={`${isShown ? 'Hide' : 'Show'} ${props.name}`}
      >
        {isShown ? 'Hide' : 'Show'}
      </Button>
    </div>
  );
}

const decimal = /^-?\d+\.?\d*$/;

/** The number in a text. Other text is kept as it is, so that the rule for numbers can say what is wrong. */
const numberOf = (text: string): JsonValue | undefined =>
  text === '' ? undefined : decimal.test(text) ? Number(text) : text;

export function NumberValue(props: ControlProps) {
  const { input, label, help, value, onChange, errors, isDisabled } = props;
  const [typed, setTyped] = useState(() => textOf(value));
  // `1.` is kept while it is typed, although its number is that of `1`.
  const text = numberOf(typed.trim()) === (value ?? undefined) ? typed : textOf(value);
  return (
    <div className="number">
      <TextInput
        label={label}
        {...named(props)}
        help={help}
        error={wordsOf(errors)}
        value={text}
        onChange={(next) => {
          setTyped(next);
          onChange(numberOf(next.trim()) ?? (label === '' ? null : undefined));
        }}
        inputMode="decimal"
        isRequired={input.required && label !== ''}
        isDisabled={isDisabled}
      />
    </div>
  );
}
