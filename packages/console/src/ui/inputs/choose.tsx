import { Button } from 'react-aria-components/Button';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select, SelectValue } from 'react-aria-components/Select';
import { Label } from 'react-aria-components/Label';
import { Icon } from '../icons.tsx';

interface Choice {
  id: string;
  words: string;
}

interface ChooseProps {
  label: string;
  choices: readonly Choice[];
  /** The id of the choice; null if there is none. */
  value: string | null;
  onChange: (id: string | null) => void;
  /** The label for no choice, such as `Any kind`. Without it, a choice is required. */
  none?: string;
  /** Shows label and choice on one line, as in filters. */
  inline?: boolean;
  isDisabled?: boolean;
}

const noChoice = '';

/** Chooses one of a few. For many, use `Pick`, which has a search. */
export function Choose({ label, choices, value, onChange, none, inline = false, isDisabled = false }: ChooseProps) {
  const items = none === undefined ? choices : [{ id: noChoice, words: none }, ...choices];
  return (
    <Select
      className={inline ? 'choose inline' : 'choose'}
      value={value ?? (none === undefined ? null : noChoice)}
      onChange={(key) => onChange(key === noChoice || key === null ? null : String(key))}
      isDisabled={isDisabled}
      data-chosen={value === null ? undefined : true}
    >
      <Label>{label}</Label>
      <Button className="button choose-button">
        <SelectValue />
        <Icon name="down" />
      </Button>
      <Popover className="popover">
        <ListBox items={items}>{({ id, words }) => <ListBoxItem id={id}>{words}</ListBoxItem>}</ListBox>
      </Popover>
    </Select>
  );
}
