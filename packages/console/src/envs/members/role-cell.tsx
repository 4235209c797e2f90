import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';

export interface RoleChoice<Id extends string> {
  id: Id;
  words: string;
  note: string;
}

interface RoleCellProps<Id extends string> {
  /** Whose role it is, and for what. */
  label: string;
  choices: readonly RoleChoice<Id>[];
  value: Id;
  /** The choice that stands for no role. */
  none?: Id;
  onChange: (id: Id) => Promise<void>;
  onError: (error: unknown) => void;
  isReadOnly: boolean;
}

/** A role that can be changed where it is shown. */
export function RoleCell<Id extends string>(props: RoleCellProps<Id>) {
  const { label, choices, value, none, onChange, onError, isReadOnly } = props;
  const change = useMutation({ mutationFn: onChange, onError });
  const shown = change.isPending ? change.variables : value;
  const words = choices.find(({ id }) => id === shown)?.words ?? shown;
  if (isReadOnly) return <span className={shown === none ? 'muted' : undefined}>{words}</span>;
  return (
    <MenuTrigger>
      <Button
        className="button role"
        aria-label={`${label}: ${words}`}
        isDisabled={change.isPending}
        data-none={shown === none ? true : undefined}
      >
        {words}
      </Button>
      <Popover className="popover" placement="bottom start">
        <Menu
          className="menu"
          aria-label={label}
          selectionMode="single"
          selectedKeys={[value]}
          onAction={(key) => {
            const next = choices.find(({ id }) => id === key);
            if (next && next.id !== value) change.mutate(next.id);
          }}
        >
          {choices.map(({ id, words: choice, note }) => (
            <MenuItem key={id} id={id} textValue={choice} className="menu-item">
              <Text slot="label">{choice}</Text>
              <Text slot="description">{note}</Text>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
