import { type Input, typeOfItems } from '@berth/chart-extensions/form/input';
import type { FieldError, JsonValue } from '@berth/client';

/** What the control of every type of input gets. */
export interface ControlProps {
  input: Input;
  /** Empty for an item of a list, which has only a `name`. */
  label: string;
  name: string;
  help?: string | undefined;
  value: JsonValue | undefined;
  /** Undefined clears it. */
  onChange: (value: JsonValue | undefined) => void;
  errors: readonly FieldError[];
  isDisabled: boolean;
}

/** The help of an input: the text of the chart, and the limits of a number. */
export function helpOf(input: Input): string | undefined {
  const { helpText, minimum, maximum } = input;
  const limits = [minimum && `from ${minimum}`, maximum && `to ${maximum}`].filter(Boolean).join(' ');
  const parts = [helpText, typeOfItems(input) === 'number' && limits].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(' · ');
}
