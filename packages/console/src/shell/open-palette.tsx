import { Button } from 'react-aria-components/Button';
import { Icon } from '../ui/icons.tsx';
import { palette } from './palette-state.ts';

const isMac = navigator.platform.startsWith('Mac');

export function OpenPalette() {
  return (
    <Button className="find" onPress={() => palette.set('search')} aria-keyshortcuts="Control+K Meta+K">
      <Icon name="search" />
      Search or jump to …<kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
    </Button>
  );
}
