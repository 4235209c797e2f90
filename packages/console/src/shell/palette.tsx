import { useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Header } from 'react-aria-components/Header';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { Icon } from '../ui/icons.tsx';
import { KeyList } from './key-list.tsx';
import { matching } from './palette-items.ts';
import { usePaletteSections } from './palette-sources.ts';
import { palette, usePalette } from './palette-state.ts';
import './palette.css';

/** The palette. It can be used by keyboard alone: type, arrows, `Enter`. */
export function Palette() {
  const showsKeys = usePalette() === 'keys';
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={() => palette.set('closed')} isDismissable>
      <Modal className="modal wide">
        {showsKeys ? (
          <KeyList />
        ) : (
          <Dialog className="palette" aria-label="Search or jump to">
            <Search />
          </Dialog>
        )}
      </Modal>
    </ModalOverlay>
  );
}

function Search() {
  const [typed, setTyped] = useState('');
  const sections = matching(usePaletteSections(typed), typed, typed === '' ? 20 : 6);
  const items = sections.flatMap((section) => section.items);
  const run = (id: unknown) => {
    palette.set('closed');
    items.find((item) => item.id === id)?.run();
  };
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped}>
      <SearchField className="palette-search" aria-label="Search or jump to" autoFocus>
        <Icon name="search" />
        <Input placeholder="Deployments, tasks, charts, clusters, envs, actions" />
      </SearchField>
      <Menu
        className="palette-menu"
        aria-label="Found"
        onAction={run}
        renderEmptyState={() => <p className="palette-none">Nothing is called that.</p>}
      >
        {sections.map(({ title, items: ofSection }) => (
          <MenuSection key={title} id={title}>
            <Header className="palette-title">{title}</Header>
            {ofSection.map(({ id, words, note, icon, key }) => (
              <MenuItem key={id} id={id} textValue={words} className="palette-item">
                <Icon name={icon} />
                {/* Not in a label slot, so that note and key are part of its accessible name. */}
                <span>{words}</span> {note !== undefined && <span className="meta">{note}</span>}{' '}
                {key !== undefined && <kbd>{key}</kbd>}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Autocomplete>
  );
}
