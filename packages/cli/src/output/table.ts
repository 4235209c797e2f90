import { harmless } from './harmless.ts';

/** Aligned columns; a title that nothing follows is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((cells) => cells.map(harmless));
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((cells) => [...(cells[column] ?? '')].length)),
  );
  return shown.map((cells) =>
    cells
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
      .join('  ')
      .trimEnd(),
  );
}
