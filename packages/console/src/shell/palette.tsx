import { Dialog } from '../ui/page/dialog.tsx';
import { palette } from './palette-state.ts';

export function Palette() {
  return (
    <Dialog title="Search or jump to" isOpen onClose={() => palette.set(false)}>
      <p>Soon.</p>
    </Dialog>
  );
}
