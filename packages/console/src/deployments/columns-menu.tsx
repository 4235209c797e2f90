import { useMemo, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { useMe } from '../api/me.ts';
import { Icon } from '../ui/icons.tsx';
import type { Column } from '../ui/reading/line.tsx';
import { isOptional, isShown, readSwitched, switchedFor } from './facts/column-choice.ts';

interface ColumnChoice<T> {
  shown: Column<T>[];
  /** The titles that are shown, of those that can be hidden. */
  chosen: ReadonlySet<string>;
  optional: string[];
  choose: (titles: ReadonlySet<string>) => void;
}

/** The columns of a list that the viewer wants to see, kept in this browser. */
export function useColumnChoice<T>(columns: Column<T>[]): ColumnChoice<T> {
  const { user } = useMe();
  const key = `berth_columns_${user.id}`;
  const [switched, setSwitched] = useState(() => readSwitched(localStorage.getItem(key)));
  const optional = columns.map(({ title }) => title).filter(isOptional);
  return {
    shown: useMemo(() => columns.filter(({ title }) => isShown(title, switched)), [columns, switched]),
    chosen: new Set(optional.filter((title) => isShown(title, switched))),
    optional,
    choose: (titles) => {
      const next = switchedFor(optional, titles);
      localStorage.setItem(key, JSON.stringify(next));
      setSwitched(next);
    },
  };
}

export function ColumnsMenu<T>({ chosen, optional, choose }: ColumnChoice<T>) {
  return (
    <MenuTrigger>
      <Button className="button">Columns</Button>
      <Popover className="popover" placement="bottom end">
        <Menu
          className="menu"
          aria-label="Columns"
          selectionMode="multiple"
          selectedKeys={chosen}
          onSelectionChange={(keys) => choose(keys === 'all' ? new Set(optional) : new Set([...keys].map(String)))}
        >
          {optional.map((title) => (
            <MenuItem key={title} id={title} className="menu-item tickable">
              {title}
              <Icon name="check" />
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
