import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ownChangeAt } from '../../api/berth.ts';
import { readFailedAgain } from '../../api/queries.ts';
import { type Listed, type ListQuery, pageOf, type Row } from '../../api/reads.ts';
import { Icon } from '../icons.tsx';
import { Button } from 'react-aria-components/Button';
import { LoadingRows, Problem } from './problem.tsx';
import { useHeld } from './use-held.ts';
import { useNarrow } from './use-narrow.ts';

const perPage = 100;
const heightOfLine = 36;
const heightOfTwoLines = 60;

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
  /** Where it stays in a narrow window, which shows two lines for a row once a column has the second. */
  narrow?: 'first' | 'second';
}

interface RowsProps<R extends Listed> {
  label: string;
  resource: R;
  query: Omit<ListQuery<R>, 'page' | 'per_page' | 'after'>;
  columns: Column<Row<R>>[];
  sort?: { value: string | undefined; onChange: (sort: string) => void };
  /** Shown instead of an empty table. */
  empty: ReactNode;
  isSelected?: (row: Row<R>) => boolean;
  /** Told which rows are read, so that what belongs to them can be read at once. */
  onView?: (rows: Row<R>[]) => void;
}

/**
 * A table of all rows that match a query. It reads only the pages that are in view, so that ten thousand rows cost what a screen of
 * them does.
 */
export function Rows<R extends Listed>({
  label,
  resource,
  query,
  columns,
  sort,
  empty,
  isSelected,
  onView,
}: RowsProps<R>) {
  const isFolded = useNarrow() && columns.some(({ narrow }) => narrow === 'second');
  const rowHeight = isFolded ? heightOfTwoLines : heightOfLine;
  const page = (number: number) => pageOf(resource, { ...query, page: number, per_page: perPage } as ListQuery<R>);
  const first = useQuery({ ...page(1), placeholderData: keepPreviousData });
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), [first.data === undefined]);
  const present = first.data?.num_total ?? 0;
  // What somebody does here themselves, such as deleting a row, shows at once.
  const since = ownChangeAt();
  const held = useHeld<Row<R>>(JSON.stringify([query, since]), !first.isPlaceholderData && first.dataUpdatedAt > since);
  const total = held.count(present);
  const virtual = useWindowVirtualizer({
    count: total,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight]);
  const inView = virtual.getVirtualItems();
  const numbers = [...new Set(inView.map(({ index }) => Math.floor(index / perPage) + 1))];
  const pages = useQueries({ queries: numbers.map((number) => page(number)) });
  const { shown: byNumber, newRows } = held.place(
    new Map(numbers.map((number, index) => [number, pages[index]?.data?.items])),
  );
  const shown = inView.flatMap(({ index }) => byNumber.get(Math.floor(index / perPage) + 1)?.[index % perPage] ?? []);
  const view = useRef<string>('');
  useEffect(() => {
    const key = JSON.stringify(shown);
    if (key === view.current) return;
    view.current = key;
    onView?.(shown);
  });
  const cells = isFolded ? columns.filter(({ narrow }) => narrow !== undefined) : columns;
  const template = isFolded ? foldedTemplate(cells) : cells.map(({ width }) => width).join(' ');

  if (first.data === undefined) {
    return first.error ? <Problem error={first.error} onRetry={readFailedAgain} /> : <LoadingRows rows={8} />;
  }
  if (total === 0) return <div className="panel">{empty}</div>;
  return (
    <>
      {first.error && <Problem error={first.error} onRetry={readFailedAgain} />}
      {newRows > 0 && (
        <p className="new-rows" role="status">
          {newRows.toLocaleString()} new
          <Button className="button small" onPress={held.release}>
            Show
          </Button>
        </p>
      )}
      <div
        className={isFolded ? 'panel table folded' : 'panel table'}
        role="table"
        aria-label={label}
        aria-rowcount={total + 1}
      >
        <div role="row" className="row header" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {cells.map((column) => (
            <ColumnTitle key={column.title} column={column} sort={sort} />
          ))}
        </div>
        <div
          role="rowgroup"
          ref={body}
          {...held.holders}
          style={{ height: virtual.getTotalSize(), position: 'relative' }}
        >
          {inView.map(({ index, start }) => {
            const row = byNumber.get(Math.floor(index / perPage) + 1)?.[index % perPage];
            return (
              <div
                key={index}
                role="row"
                className="row"
                aria-rowindex={index + 2}
                data-selected={row !== undefined && isSelected?.(row) ? 'true' : undefined}
                style={{
                  gridTemplateColumns: template,
                  position: 'absolute',
                  insetInline: 0,
                  height: rowHeight,
                  transform: `translateY(${start - top}px)`,
                }}
              >
                {cells.map(({ title, cell, className, narrow }) => (
                  <div key={title} role="cell" className={className} data-line={narrow}>
                    {row === undefined ? null : cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** The first line: what the cells of a name leave is for the others. */
const foldedTemplate = (cells: readonly { width: string; className?: string; narrow?: string }[]): string =>
  cells
    .filter(({ narrow }) => narrow === 'first')
    .map(({ width, className }) => (className === 'cell-name' ? 'minmax(0, 1fr)' : width))
    .join(' ');

function ColumnTitle<T>({ column, sort }: { column: Column<T>; sort: RowsProps<Listed>['sort'] }) {
  const by = column.sort;
  if (by === undefined || sort === undefined) {
    return (
      <div role="columnheader" data-line={column.narrow}>
        <span className={column.hideTitle ? 'visually-hidden' : undefined}>{column.title}</span>
      </div>
    );
  }
  const direction = sort.value === by ? 'ascending' : sort.value === `-${by}` ? 'descending' : 'none';
  return (
    <div role="columnheader" aria-sort={direction} data-line={column.narrow}>
      <Button className="button" onPress={() => sort.onChange(direction === 'ascending' ? `-${by}` : by)}>
        {column.title}
        {direction !== 'none' && <Icon name={direction === 'ascending' ? 'up' : 'down'} />}
      </Button>
    </div>
  );
}
