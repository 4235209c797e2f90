import { Checkbox } from 'react-aria-components/Checkbox';
import { Icon } from '../icons.tsx';

interface RowCheckProps {
  /** What is chosen, for a screen reader. */
  label: string;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
}

/** Chooses a row of a table. */
export function RowCheck({ label, isSelected, onChange }: RowCheckProps) {
  return (
    <Checkbox className="check" isSelected={isSelected} onChange={onChange} aria-label={label}>
      <span className="box">
        <Icon name="check" />
      </span>
    </Checkbox>
  );
}
