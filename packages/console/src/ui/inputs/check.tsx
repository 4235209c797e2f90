import { type ReactNode, useId } from 'react';
import { Checkbox } from 'react-aria-components/Checkbox';
import { Icon } from '../icons.tsx';

interface CheckProps {
  label: ReactNode;
  value: boolean;
  onChange: (value: boolean) => void;
  help?: string | undefined;
  error?: string | undefined;
  isDisabled?: boolean;
}

/** Yes or no. */
export function Check({ label, value, onChange, help, error, isDisabled = false }: CheckProps) {
  const id = useId();
  return (
    <div className="form-field">
      <Checkbox
        className="check"
        isSelected={value}
        onChange={onChange}
        isDisabled={isDisabled}
        isInvalid={error !== undefined}
        aria-describedby={id}
      >
        <span className="box">
          <Icon name="check" />
        </span>
        {label}
      </Checkbox>
      <div id={id}>
        {help !== undefined && <p className="help">{help}</p>}
        {error !== undefined && <p className="field-error">{error}</p>}
      </div>
    </div>
  );
}
