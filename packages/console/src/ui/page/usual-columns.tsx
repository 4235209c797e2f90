import type { ReactNode } from 'react';
import { Age } from '../age.tsx';
import { ActionsMenu, type MenuAction } from './actions-menu.tsx';
import type { Column } from '../reading/line.tsx';

/** When a row was created. */
export const createdColumn = (title = 'Created'): Column<{ created_at: string }> => ({
  title,
  width: '112px',
  sort: 'created_at',
  className: 'muted',
  cell: ({ created_at }) => <Age time={created_at} />,
});

interface ActionsColumn<T> {
  nameOf: (row: T) => string;
  actionsOf: (row: T) => MenuAction[];
  /** Buttons for what is done most often. */
  before?: (row: T) => ReactNode;
  width?: string;
}

/** What can be done with a row. */
export const actionsColumn = <T,>({ nameOf, actionsOf, before, width = '56px' }: ActionsColumn<T>): Column<T> => ({
  title: 'Actions',
  hideTitle: true,
  width,
  narrow: 'first',
  className: 'row-actions',
  cell: (row) => (
    <>
      {before?.(row)}
      <ActionsMenu label={`Actions for ${nameOf(row)}`} actions={actionsOf(row)} />
    </>
  ),
});
