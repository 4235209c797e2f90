import { harmless } from '../text/harmless.ts';
import { startOf, widthOf } from '../text/width.ts';

interface Look {
  /** The width that lines must not exceed; unlimited unless given. */
  columns?: number | undefined;
  /** Marks a text that was cut. */
  ellipsis?: string;
  /** Styles the text of a cell, which is already padded. */
  paint?: (padded: string, row: number, column: number) => string;
}

/** A column is not cut below this width. */
const leastWidth = 4;
const gap = 2;

/** Aligned columns; the last cell of a line is not padded. */
export function table(rows: readonly (readonly string[])[], look: Look = {}): string[] {
  const { columns, ellipsis = '…', paint = (text) => text } = look;
  const shown = rows.map((cells) => cells.map(harmless));
  const natural = (shown[0] ?? []).map((_, column) =>
    shown.reduce((most, cells) => Math.max(most, widthOf(cells[column] ?? '')), 0),
  );
  const widths = columns === undefined ? natural : fitting(natural, columns);
  return shown.map((cells, row) => {
    const last = cells.findLastIndex((cell) => cell !== '');
    return cells
      .slice(0, last + 1)
      .map((cell, column) => {
        const text = cut(cell, widths[column] ?? 0, ellipsis);
        const padding = column === last ? '' : ' '.repeat((widths[column] ?? 0) - widthOf(text));
        return paint(text + padding, row, column);
      })
      .join(' '.repeat(gap));
  });
}

/** Narrows the widest columns until all fit. */
function fitting(natural: readonly number[], columns: number): number[] {
  const widths = [...natural];
  for (const _ of widths) {
    const excess = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - columns;
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (excess <= 0 || width <= leastWidth) break;
    widths[widest] = Math.max(leastWidth, width - excess);
  }
  return widths;
}

const cut = (text: string, width: number, ellipsis: string): string =>
  widthOf(text) <= width ? text : startOf(text, width - widthOf(ellipsis)) + ellipsis;
