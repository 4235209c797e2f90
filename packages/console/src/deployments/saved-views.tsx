import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { useMe } from '../api/me.ts';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { type Search, useAddress } from '../ui/page/address.ts';
import { Dialog } from '../ui/page/dialog.tsx';
import { useNavigate } from '@tanstack/react-router';

interface View {
  name: string;
  search: Search;
}

const most = 30;
const keyOf = (userId: string) => `berth_views_${userId}`;

function stored(userId: string): View[] {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]');
    return Array.isArray(views) ? views.slice(0, most) : [];
  } catch {
    return [];
  }
}

/** Named filters, kept in this browser. The address of a view is the link to share. */
export function SavedViews() {
  const { user } = useMe();
  const [address] = useAddress();
  const navigate = useNavigate();
  const [views, setViews] = useState(() => stored(user.id));
  const [isNaming, setIsNaming] = useState(false);
  const [name, setName] = useState('');

  const keep = (next: View[]) => {
    localStorage.setItem(keyOf(user.id), JSON.stringify(next));
    setViews(next);
  };
  const save = () => {
    keep([...views.filter((view) => view.name !== name), { name, search: address }].slice(-most));
    setIsNaming(false);
    setName('');
  };
  return (
    <>
      <MenuTrigger>
        <Button className="button">Views</Button>
        <Popover className="popover" placement="bottom end">
          <Menu className="menu">
            {views.map((view) => (
              <MenuItem
                key={view.name}
                className="menu-item"
                onAction={() => void navigate({ to: '/deployments', search: view.search })}
              >
                {view.name}
              </MenuItem>
            ))}
            <MenuItem className="menu-item" onAction={() => setIsNaming(true)}>
              Save these filters …
            </MenuItem>
            {views.length > 0 && (
              <MenuItem className="menu-item" onAction={() => keep(views.slice(0, -1))}>
                Forget {views.at(-1)?.name}
              </MenuItem>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
      <Dialog title="Save these filters" isOpen={isNaming} onClose={() => setIsNaming(false)}>
        <TextInput label="Name of the view" value={name} onChange={setName} autoFocus maxLength={60} />
        <div className="dialog-actions">
          <Button className="button primary" isDisabled={name.trim() === ''} onPress={save}>
            Save view
          </Button>
        </div>
      </Dialog>
    </>
  );
}
