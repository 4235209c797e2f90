import { Checkbox } from 'react-aria-components/Checkbox';
import { Icon } from '../icons.tsx';

interface RowCheckProps {
  /** Tells a screen reader what is chosen. */
  label: string;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
}

/** The checkbox of a row. */
export function RowCheck({ label, isSelected, onChange }: RowCheckProps) {
  return (
    <Checkbox className="check" isSelected={isSelected} onChange={onChange} aria-label={label}>
      <span className="box">
        <Icon name="check" />
      </span>
    </Checkbox>
  );
}
