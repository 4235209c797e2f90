import type { Input } from '@berth/chart-extensions/form/input';
import type { FieldError, JsonValue } from '@berth/client';

/** What every type of input is given. */
export interface ControlProps {
  input: Input;
  /** Empty for an item of a list, which `name` names. */
  label: string;
  name: string;
  help?: string | undefined;
  value: JsonValue | undefined;
  /** Undefined clears it. */
  onChange: (value: JsonValue | undefined) => void;
  errors: readonly FieldError[];
  isDisabled: boolean;
}
