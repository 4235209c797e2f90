import { useState } from 'react';
import type { ReactNode } from 'react';
import { queries } from '../api/queries.ts';
import { Confirm } from '../ui/page/dialog.tsx';
import { say } from '../ui/page/toasts.tsx';
import type { Column } from '../ui/reading/line.tsx';
import { State, type StateWord } from '../ui/state.tsx';

/** A user or a bot. */
interface Holder {
  id: string;
  display_name: string;
  is_active: boolean;
}

/** Whether users or bots are active. The tone says whether somebody has to act on an inactive one. */
export const activeColumn = (inactive: StateWord['tone'], narrow: 'first' | 'second'): Column<Holder> => ({
  title: 'State',
  width: '104px',
  sort: 'is_active',
  narrow,
  cell: ({ is_active }) => <State tone={is_active ? 'ok' : inactive} word={is_active ? 'Active' : 'Inactive'} />,
});

/** Activates a user or a bot, and keeps the error if `update` rejects. */
export function useActivation(table: 'users' | 'bots', update: (id: string) => Promise<unknown>) {
  const [error, setError] = useState<unknown>(null);
  const activate = async ({ id, display_name }: Holder) => {
    setError(null);
    try {
      await update(id);
      say(`${display_name} is active`);
      await queries.invalidateQueries({ queryKey: [table] });
    } catch (problem) {
      setError(problem);
    }
  };
  return { activate, error };
}

interface DeactivateProps {
  of: Holder;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
  onUndo: () => void;
  /** What ends with it. */
  children: ReactNode;
}

export function Deactivate({ of: { display_name }, onClose, onConfirm, onUndo, children }: DeactivateProps) {
  return (
    <Confirm
      title={`Deactivate ${display_name}`}
      action="Deactivate"
      destroys
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await onConfirm();
        say(`${display_name} is inactive`, { words: 'Undo', onAction: onUndo });
      }}
    >
      {children}
    </Confirm>
  );
}
