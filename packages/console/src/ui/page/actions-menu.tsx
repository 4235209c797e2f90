import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
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
                {/* Not in slots for label and description, so that the reason is part of its accessible name. */}
                <span>{words}</span> {why !== undefined && <span className="meta">{why}</span>}
              </MenuItem>
            );
          })}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
