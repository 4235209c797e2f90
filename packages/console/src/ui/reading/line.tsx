import { memo, type ReactNode } from 'react';

export interface Column<T> {
  title: string;
  /** For a screen reader only. */
  hideTitle?: boolean;
  /** A track of the grid: `minmax(160px, 2fr)`. */
  width: string;
  /** The column of the server's sort. */
  sort?: string;
  cell: (row: T) => ReactNode;
  className?: string;
  /** The line on which a narrow window shows it; rows have two lines there if any column is on the second. */
  narrow?: 'first' | 'second';
  /** Left out if the window has no room for all columns. */
  wideOnly?: boolean;
}

interface LineProps<T> {
  /** Undefined until it is read. */
  row: T | undefined;
  /** Its place in the list, counted from 0. */
  index: number;
  top: number;
  height: number;
  template: string;
  columns: readonly Column<T>[];
  isSelected: boolean;
}

function AnyLine<T>({ row, index, top, height, template, columns, isSelected }: LineProps<T>) {
  return (
    <div
      role="row"
      className="row"
      aria-rowindex={index + 2}
      data-selected={isSelected ? 'true' : undefined}
      style={{
        gridTemplateColumns: template,
        position: 'absolute',
        insetInline: 0,
        height,
        transform: `translateY(${top}px)`,
      }}
    >
      {row === undefined ? (
        <div role="cell" className="unread" />
      ) : (
        columns.map(({ title, cell, className, narrow }) => (
          <div key={title} role="cell" className={className} data-line={narrow}>
            {cell(row)}
          </div>
        ))
      )}
    </div>
  );
}

/** A row of a table. While the table scrolls, only rows that come into view are drawn. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `memo` forgets the type of the row
export const Line = memo(AnyLine) as typeof AnyLine;
