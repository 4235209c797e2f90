import { useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { SearchField } from 'react-aria-components/SearchField';
import { Select, SelectValue } from 'react-aria-components/Select';
import { Text } from 'react-aria-components/Text';
import { Icon } from '../icons.tsx';

export interface PickOption {
  id: string;
  words: string;
  note?: string | undefined;
  /** Why it cannot be chosen. */
  unless?: string | undefined;
}

interface PickProps {
  label: string;
  options: readonly PickOption[];
  /** The id of the choice; null if there is none. */
  value: string | null;
  onChange: (id: string | null) => void;
  /** The name of the choice, which need not be among the options. */
  shown: string | null;
  /** The label for no choice. Without it, a choice is required. */
  none?: string | undefined;
  /** Called with the search text, if the server searches. */
  onSearch?: (text: string) => void;
  onOpen?: (isOpen: boolean) => void;
  /** A note below the list, such as how many more there are. */
  foot?: string | undefined;
  help?: string | undefined;
  error?: string | undefined;
  isRequired?: boolean;
  isDisabled?: boolean;
  'aria-label'?: string;
}

const noChoice = '';
const has = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/** Chooses one of many, with a search. */
export function Pick(props: PickProps) {
  const { label, options, value, onChange, shown, none, onSearch, onOpen, foot, help, error, isRequired } = props;
  const [search, setSearch] = useState('');
  const seek = (text: string) => {
    setSearch(text);
    onSearch?.(text);
  };
  const open = (isOpen: boolean) => {
    seek('');
    onOpen?.(isOpen);
  };
  const found = options.filter(({ words, note = '' }) => has(`${words} ${note}`, search));
  const items: PickOption[] = none === undefined || search !== '' ? found : [{ id: noChoice, words: none }, ...found];

  return (
    <Select
      className="field choose"
      value={value ?? (none === undefined ? null : noChoice)}
      onChange={(key) => onChange(key === noChoice || key === null ? null : String(key))}
      onOpenChange={open}
      isInvalid={error !== undefined}
      isDisabled={props.isDisabled ?? false}
      {...(label === '' && { 'aria-label': props['aria-label'] })}
    >
      {label !== '' && (
        <Label>
          {label}
          {isRequired && <span aria-hidden="true"> *</span>}
        </Label>
      )}
      {help !== undefined && <Text slot="description">{help}</Text>}
      <Button className="button choose-button">
        <SelectValue>{() => shown ?? none ?? 'Choose'}</SelectValue>
        <Icon name="down" />
      </Button>
      <FieldError>{error}</FieldError>
      <Popover className="popover pick">
        <Autocomplete inputValue={search} onInputChange={seek}>
          <SearchField aria-label={`Search ${label || props['aria-label']}`} autoFocus className="pick-search">
            <Input className="input" placeholder="Search" />
          </SearchField>
          <ListBox
            items={items}
            disabledKeys={items.flatMap(({ id, unless }) => (unless === undefined ? [] : [id]))}
            renderEmptyState={() => <p className="pick-foot">Nothing matches.</p>}
          >
            {({ id, words, note, unless }) => (
              <ListBoxItem id={id} textValue={words}>
                <Text slot="label">{words}</Text>
                {(unless ?? note) !== undefined && (
                  <Text slot="description" className="meta">
                    {unless ?? note}
                  </Text>
                )}
              </ListBoxItem>
            )}
          </ListBox>
          {foot !== undefined && <p className="pick-foot">{foot}</p>}
        </Autocomplete>
      </Popover>
    </Select>
  );
}
