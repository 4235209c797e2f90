import { sameJson } from '@berth/contracts/fields/json';
import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { Text } from 'react-aria-components/Text';
import { Check } from '../ui/inputs/check.tsx';
import { Pick } from '../ui/inputs/pick.tsx';
import type { ControlProps } from './control.ts';
import { wordsOf } from './errors.ts';

export function CheckboxValue({ input, label, name, help, value, onChange, errors, isDisabled }: ControlProps) {
  const words = label === '' ? name : label;
  return (
    <Check
      label={input.required ? `${words} *` : words}
      value={value === true}
      onChange={onChange}
      help={help}
      error={wordsOf(errors)}
      isDisabled={isDisabled}
    />
  );
}

/** More options than these get a search. */
const mostRadios = 6;

export function RadioValue(props: ControlProps) {
  const { input, label, name, help, value, onChange, errors, isDisabled } = props;
  const options = (input.options ?? []).map((option, index) => ({
    id: String(index),
    value: option.value,
    words: option.label ?? (typeof option.value === 'string' ? option.value : JSON.stringify(option.value)),
    help: option.helpText,
  }));
  const chosen = options.find((option) => value !== undefined && sameJson(option.value, value)) ?? null;
  const choose = (id: string | null) => onChange(options.find((option) => option.id === id)?.value);
  if (options.length > mostRadios || label === '') {
    return (
      <Pick
        label={label}
        aria-label={name}
        options={options.map((option) => ({ id: option.id, words: option.words, note: option.help }))}
        value={chosen?.id ?? null}
        shown={chosen?.words ?? null}
        onChange={choose}
        none={input.required || label === '' ? undefined : 'None'}
        help={help}
        error={wordsOf(errors)}
        isRequired={input.required}
        isDisabled={isDisabled}
      />
    );
  }
  return (
    <RadioGroup
      className="field"
      value={chosen?.id ?? null}
      onChange={choose}
      isDisabled={isDisabled}
      isInvalid={errors.length > 0}
    >
      <Label>
        {label}
        {input.required && <span aria-hidden="true"> *</span>}
      </Label>
      {help !== undefined && <Text slot="description">{help}</Text>}
      <div className="radios">
        {options.map((option) => (
          <Radio key={option.id} value={option.id} className="radio">
            <span>{option.words}</span>
            {option.help !== undefined && <span className="help">{option.help}</span>}
          </Radio>
        ))}
      </div>
      {chosen !== null && !input.required && !isDisabled && (
        <Button className="button bare small clear" onPress={() => onChange(undefined)} aria-label={`Clear ${name}`}>
          Clear
        </Button>
      )}
      <FieldError>{wordsOf(errors)}</FieldError>
    </RadioGroup>
  );
}
