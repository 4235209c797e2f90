import { type Input, type SingleType, typeOfItems } from '@berth/chart-extensions/form/input';
import type { FieldError, JsonObject, JsonValue } from '@berth/client';
import { type ComponentType, memo, useCallback, useMemo, useRef, useState } from 'react';
import { CheckboxValue, RadioValue } from './choice-values.tsx';
import { CollectionValue, FormEnv, ItemName } from './collection-value.tsx';
import { inputWords, sameInput, shownInputs, withShown } from './config.ts';
import { type ControlProps, helpOf } from './control.ts';
import { DaysAndHour } from './days-and-hour.tsx';
import { errorsOfInput } from './errors.ts';
import { ListValue } from './list-value.tsx';
import type { Form } from './parsed-form.ts';
import { NumberValue, TextValue } from './text-values.tsx';
import './form.css';

/** The control of each type of input. A missing one is a type error. */
const controls: Record<SingleType, ComponentType<ControlProps>> = {
  text: TextValue,
  number: NumberValue,
  Checkbox: CheckboxValue,
  RadioSelect: RadioValue,
  CollectionSelect: CollectionValue,
  DaysAndHour,
};

interface ValuesFormProps {
  form: Form;
  config: JsonObject;
  onChange: (change: (config: JsonObject) => JsonObject) => void;
  /** The env whose collections are offered. */
  envId: string | null;
  /** The values before, which are shown beside those that differ. */
  before?: JsonObject | undefined;
  /** What the server refuses, by input. */
  refused?: ReadonlyMap<string, FieldError[]> | undefined;
  isDisabled?: boolean;
}

/** The form of a chart. A key typed into an input renders only that input, and those that it shows or hides. */
export function ValuesForm({ form, config, onChange, envId, before, refused, isDisabled = false }: ValuesFormProps) {
  const set = useCallback(
    (id: string, value: JsonValue | undefined) =>
      onChange((current) => {
        const { [id]: _old, ...rest } = current;
        return withShown(form, current, value === undefined ? rest : { ...rest, [id]: value });
      }),
    [onChange, form],
  );
  const shown = shownInputs(form, config);
  return (
    <FormEnv value={envId}>
      <div className="values-form">
        {shown.map((input) => (
          <FormInput
            key={input.id}
            input={input}
            value={config[input.id]}
            before={before === undefined ? nothingBefore : before[input.id]}
            refused={refused?.get(input.id)}
            onChange={set}
            isDisabled={isDisabled}
          />
        ))}
        {shown.length === 0 && <p className="muted">This chart asks for nothing.</p>}
      </div>
    </FormEnv>
  );
}

const nothingBefore = Symbol('nothing before');
const none: readonly FieldError[] = [];

interface FormInputProps {
  input: Input;
  value: JsonValue | undefined;
  before: JsonValue | undefined | typeof nothingBefore;
  refused: readonly FieldError[] | undefined;
  onChange: (id: string, value: JsonValue | undefined) => void;
  isDisabled: boolean;
}

const FormInput = memo(function FormInput({ input, value, before, refused, onChange, isDisabled }: FormInputProps) {
  const [isTouched, setIsTouched] = useState(false);
  const errors = useMemo(() => errorsOfInput(input, value), [input, value]);
  // The server refused a certain value. Its error is shown until the value differs.
  const judged = useRef({ refused, value });
  if (judged.current.refused !== refused) judged.current = { refused, value };
  const stillRefused = refused !== undefined && sameInput(judged.current.value, value) ? refused : none;
  // Until something is typed, only the asterisk says that it is required.
  const isSaid = isTouched || (value !== undefined && value !== null);
  const shown = isSaid && errors.length > 0 ? errors : stillRefused;
  const change = useCallback(
    (next: JsonValue | undefined) => {
      setIsTouched(true);
      onChange(input.id, next);
    },
    [input.id, onChange],
  );

  const Control = controls[typeOfItems(input) ?? 'text'];
  const props = {
    input,
    label: input.label,
    name: input.label,
    help: helpOf(input),
    value,
    onChange: change,
    errors: shown,
    isDisabled,
  };
  return (
    <div className="form-input" id={inputAnchor(input.id)}>
      {input.type === 'array' ? <ListValue {...props} of={Control} /> : <Control {...props} />}
      {before !== nothingBefore && !sameInput(before, value) && (
        <p className="was">
          was{' '}
          {typeOfItems(input) === 'CollectionSelect' ? (
            <ItemName input={input} value={before} />
          ) : (
            inputWords(input, before)
          )}
        </p>
      )}
    </div>
  );
});

const inputAnchor = (id: string): string => `input-${id}`;

/** Scrolls to an input and focuses it. */
export function showInput(id: string): void {
  const place = document.getElementById(inputAnchor(id));
  place?.scrollIntoView({ block: 'center' });
  place?.querySelector<HTMLElement>('input, textarea, button')?.focus();
}
