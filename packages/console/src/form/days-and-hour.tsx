import { isJsonObject } from '@berth/contracts/fields/json';
import { useId } from 'react';
import { Button } from 'react-aria-components/Button';
import { Group } from 'react-aria-components/Group';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';
import { TextInput } from '../ui/inputs/text-input.tsx';
import type { ControlProps } from './control.ts';
import { wordsOf } from './errors.ts';

/** Monday first; 0 is Sunday in the value. */
const days = [
  ['1', 'Mon', 'Monday'],
  ['2', 'Tue', 'Tuesday'],
  ['3', 'Wed', 'Wednesday'],
  ['4', 'Thu', 'Thursday'],
  ['5', 'Fri', 'Friday'],
  ['6', 'Sat', 'Saturday'],
  ['0', 'Sun', 'Sunday'],
] as const;

export function DaysAndHour({ label, name, help, value, onChange, errors, isDisabled, input }: ControlProps) {
  const id = useId();
  const parts = isJsonObject(value) ? value : {};
  const chosen = typeof parts['run_days'] === 'string' ? parts['run_days'].split(',').filter(Boolean) : [];
  const time = typeof parts['schedule'] === 'string' ? parts['schedule'] : '';
  const say = (run: Iterable<string>, at: string) =>
    onChange({ run_days: [...run].toSorted().join(','), schedule: at });
  return (
    <Group className="form-field" aria-label={name} aria-describedby={id} isDisabled={isDisabled}>
      {label !== '' && (
        <span className="form-label">
          {label}
          {input.required && <span aria-hidden="true"> *</span>}
        </span>
      )}
      {help !== undefined && <p className="help">{help}</p>}
      <div className="days-and-hour">
        <ToggleButtonGroup
          className="days"
          aria-label={`Days of ${name}`}
          selectionMode="multiple"
          selectedKeys={chosen}
          onSelectionChange={(keys) => say([...keys].map(String), time || '00:00')}
          isDisabled={isDisabled}
        >
          {days.map(([day, short, long]) => (
            <ToggleButton key={day} id={day} className="button small day" aria-label={long}>
              {short}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <TextInput
          label=""
          aria-label={`Time of ${name}`}
          type="time"
          value={time}
          onChange={(at) => say(chosen, at)}
          isDisabled={isDisabled}
        />
        {value !== undefined && value !== null && !input.required && !isDisabled && (
          <Button className="button bare small" onPress={() => onChange(undefined)} aria-label={`Clear ${name}`}>
            Clear
          </Button>
        )}
      </div>
      <div id={id}>{errors.length > 0 && <p className="field-error">{wordsOf(errors)}</p>}</div>
    </Group>
  );
}
