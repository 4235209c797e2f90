import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import type { Permission } from '../../api/me.ts';
import { Icon } from '../icons.tsx';

export interface MenuAction {
  words: string;
  onAction: () => void;
  permission?: Permission;
  /** Why nobody can do it now. */
  unless?: string | undefined;
  destroys?: boolean;
}

/** The less common actions and those that destroy. An action that the viewer may not run says who may. */
export function ActionsMenu({ label, actions }: { label: string; actions: MenuAction[] }) {
  return (
    <MenuTrigger>
      <Button className="button bare" aria-label={label}>
        <Icon name="more" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu">
          {actions.map(({ words, onAction, permission, unless, destroys }) => {
            const why = permission?.allowed === false ? `for ${permission.needs}` : unless;
            return (
              <MenuItem
                key={words}
                textValue={words}
                onAction={onAction}
                isDisabled={why !== undefined}
                className={destroys ? 'menu-item danger' : 'menu-item'}
              >
                <Text slot="label">{words}</Text>
                {why !== undefined && <Text slot="description">{why}</Text>}
              </MenuItem>
            );
          })}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
