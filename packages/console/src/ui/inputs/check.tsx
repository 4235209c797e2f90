import { Checkbox } from 'react-aria-components/Checkbox';
import { Icon } from '../icons.tsx';

interface CheckProps {
  label: string;
  /** For a screen reader only, where the place says what is chosen. */
  hideLabel?: boolean;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  isDisabled?: boolean;
}

export function Check({ label, hideLabel = false, isSelected, onChange, isDisabled = false }: CheckProps) {
  return (
    <Checkbox className="check" isSelected={isSelected} onChange={onChange} isDisabled={isDisabled} aria-label={label}>
      <span className="box">
        <Icon name="check" />
      </span>
      {!hideLabel && label}
    </Checkbox>
  );
}
