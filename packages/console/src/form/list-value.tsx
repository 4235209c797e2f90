import type { JsonValue } from '@berth/client';
import type { SingleType } from '@berth/chart-extensions/form/input';
import { type ComponentType, useId } from 'react';
import { Button } from 'react-aria-components/Button';
import { Group } from 'react-aria-components/Group';
import { Icon } from '../ui/icons.tsx';
import type { ControlProps } from './control.ts';
import { errorsOfItem, errorsOfWhole, wordsOf } from './errors.ts';

/** The value of a new item. */
const fresh: Partial<Record<SingleType, JsonValue>> = { text: '', Checkbox: false };

/** A list of inputs of one type. */
export function ListValue({ of: Control, ...props }: ControlProps & { of: ComponentType<ControlProps> }) {
  const { input, label, name, help, value, onChange, errors, isDisabled } = props;
  const id = useId();
  const items = Array.isArray(value) ? value : [];
  const change = (next: JsonValue[]) => onChange(next.length === 0 ? undefined : next);
  const { itemType = 'text', ...rest } = input;
  const item = { ...rest, type: itemType, required: true };
  const whole = wordsOf(errorsOfWhole(errors));
  return (
    <Group className="form-field" aria-label={name} aria-describedby={id}>
      <span className="form-label">
        {label}
        {input.required && <span aria-hidden="true"> *</span>}
      </span>
      {help !== undefined && <p className="help">{help}</p>}
      {items.map((one, index) => (
        // Items have no identity, and what each shows is given from outside.
        <div key={index} className="list-item">
          <Control
            input={item}
            label=""
            name={`${name} ${index + 1}`}
            value={one}
            onChange={(next) => change(items.with(index, next ?? null))}
            errors={errorsOfItem(errors, index)}
            isDisabled={isDisabled}
          />
          <Button
            className="button bare small"
            aria-label={`Remove ${name} ${index + 1}`}
            isDisabled={isDisabled}
            onPress={() => change(items.toSpliced(index, 1))}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      <Button
        className="button small list-add"
        isDisabled={isDisabled}
        onPress={() => change([...items, fresh[itemType] ?? null])}
        aria-label={`Add to ${name}`}
      >
        <Icon name="plus" />
        Add
      </Button>
      <div id={id}>{whole !== undefined && <p className="field-error">{whole}</p>}</div>
    </Group>
  );
}
