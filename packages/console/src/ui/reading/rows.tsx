import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ownChangeAt } from '../../api/berth.ts';
import { readFailedAgain } from '../../api/queries.ts';
import { type Listed, type ListQuery, pageOf, type Row } from '../../api/reads.ts';
import { Icon } from '../icons.tsx';
import { Button } from 'react-aria-components/Button';
import { type Column, Line } from './line.tsx';
import { LoadingRows, Problem } from './problem.tsx';
import { useFlying } from './use-flying.ts';
import { useHeld } from './use-held.ts';
import { useNarrow, useWide } from './use-narrow.ts';

const perPage = 100;
const heightOfLine = 36;
const heightOfTwoLines = 60;
/** What belongs to rows is read for this many together, so scrolling by one row reads nothing new. */
const block = 50;
/** As many ids as one read takes. */
const mostRead = 100;

interface RowsProps<R extends Listed> {
  label: string;
  resource: R;
  query: Omit<ListQuery<R>, 'page' | 'per_page' | 'after'>;
  columns: Column<Row<R>>[];
  sort?: { value: string | undefined; onChange: (sort: string) => void };
  /** Shown instead of an empty table. */
  empty: ReactNode;
  isSelected?: (row: Row<R>) => boolean;
  /** Gets the rows in view once scrolling pauses. */
  onView?: (rows: Row<R>[]) => void;
  /** Gets the rows in view with those around them, at most a hundred, so that what belongs to them can be read at once. */
  onRead?: (rows: Row<R>[]) => void;
}

/** A table of all rows that match a query. It reads only the pages in view, so ten thousand rows cost no more than a screenful. */
export function Rows<R extends Listed>({
  label,
  resource,
  query,
  columns,
  sort,
  empty,
  isSelected,
  onView,
  onRead,
}: RowsProps<R>) {
  const isFolded = useNarrow() && columns.some(({ narrow }) => narrow === 'second');
  const rowHeight = isFolded ? heightOfTwoLines : heightOfLine;
  const page = (number: number) => pageOf(resource, { ...query, page: number, per_page: perPage } as ListQuery<R>);
  const first = useQuery({ ...page(1), placeholderData: keepPreviousData });
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), [first.data === undefined]);
  const present = first.data?.num_total ?? 0;
  // A change that the viewer makes here, such as deleting a row, shows at once.
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
  const [from, to] = [inView[0]?.index ?? 0, inView.at(-1)?.index ?? -1];
  // Rows that fly past are neither read nor drawn.
  const isFlying = useFlying(virtual.isScrolling, from);
  const numbers = isFlying || to < 0 ? [] : numbersFrom(pageAt(from), pageAt(to));
  const pages = useQueries({ queries: numbers.map((number) => page(number)) });
  const { shown: byNumber, newRows } = held.place(
    new Map(numbers.map((number, index) => [number, pages[index]?.data?.items])),
  );
  const rowAt = (index: number): Row<R> | undefined => byNumber.get(pageAt(index))?.[index % perPage];
  const rowsFrom = (start: number, end: number): Row<R>[] =>
    numbersFrom(start, Math.min(end, total - 1)).flatMap((index) => rowAt(index) ?? []);
  useTold(rowsFrom(from, to), virtual.isScrolling ? undefined : onView);
  const around = rowsFrom(Math.floor(from / block) * block, Math.ceil((to + 1) / block) * block - 1);
  useTold(around.length > mostRead ? rowsFrom(from, from + mostRead - 1) : around, isFlying ? undefined : onRead);
  const isWide = useWide();
  const cells = useMemo(
    () => columns.filter(({ narrow, wideOnly }) => (isFolded ? narrow !== undefined : isWide || wideOnly !== true)),
    [isFolded, isWide, columns],
  );
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
            const row = rowAt(index);
            return (
              <Line
                key={index}
                row={row}
                index={index}
                top={start - top}
                height={rowHeight}
                template={template}
                columns={cells}
                isSelected={row !== undefined && isSelected?.(row) === true}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

const pageAt = (index: number): number => Math.floor(index / perPage) + 1;

const numbersFrom = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

/** Tells a listener of rows when they are others, or when one of them has changed. */
function useTold<T>(rows: T[], listener: ((rows: T[]) => void) | undefined): void {
  const told = useRef<T[] | null>(null);
  useEffect(() => {
    const { current } = told;
    if (!listener || (current?.length === rows.length && rows.every((row, index) => row === current[index]))) return;
    told.current = rows;
    listener(rows);
  });
}

/** The tracks of the first line: the name has what the others leave. */
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
