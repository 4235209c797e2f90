import { type FocusEvent, useRef, useState } from 'react';

type Pages<T> = ReadonlyMap<number, T[] | undefined>;

const idOf = (row: unknown): unknown => (typeof row === 'object' && row !== null && 'id' in row ? row.id : row);

/** The rows in their earlier order, each with its current state. One that is no longer in the list stays as it was. */
export function inPlace<T>(before: readonly T[], now: readonly T[]): T[] {
  const byId = new Map(now.map((row) => [idOf(row), row]));
  return before.map((row) => byId.get(idOf(row)) ?? row);
}

/** How many rows are new. */
export function newSince<T>(before: Pages<T>, now: Pages<T>): number {
  const known = new Set([...before.values()].flatMap((rows) => rows ?? []).map(idOf));
  return [...now]
    .flatMap(([number, rows]) => (before.has(number) ? (rows ?? []) : []))
    .filter((row) => !known.has(idOf(row))).length;
}

/**
 * While the pointer or the focus is in a list, its rows do not move, so nobody presses the wrong one. `of` identifies the list. While
 * `isCurrent` is false, the rows are still those of the previous list.
 */
export function useHeld<T>(of: string, isCurrent: boolean) {
  const [isPointed, setIsPointed] = useState(false);
  const [isFocused, setIsFocused] = useState(false);
  const held = useRef<{ of: string; total: number | null; pages: Map<number, T[]> } | null>(null);
  const isHeld = isPointed || isFocused;
  if (!isHeld || held.current?.of !== of) held.current = null;
  if (isHeld && isCurrent) held.current ??= { of, total: null, pages: new Map() };
  const { current } = held;

  return {
    /** How many rows the list has room for. */
    count(total: number): number {
      if (!current) return total;
      current.total ??= total;
      return current.total;
    },
    /** The rows to show, and how many new ones are held back. */
    place(pages: Pages<T>): { shown: Pages<T>; newRows: number } {
      if (!current) return { shown: pages, newRows: 0 };
      for (const [number, rows] of pages) if (rows && !current.pages.has(number)) current.pages.set(number, rows);
      const shown = new Map(
        [...pages].map(([number, rows]) => [number, inPlace(current.pages.get(number) ?? [], rows ?? [])] as const),
      );
      return { shown, newRows: newSince(current.pages, pages) };
    },
    release(): void {
      setIsPointed(false);
      setIsFocused(false);
    },
    holders: {
      onPointerMove: () => setIsPointed(true),
      onPointerLeave: () => setIsPointed(false),
      onFocus: () => setIsFocused(true),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) setIsFocused(false);
      },
    },
  };
}
