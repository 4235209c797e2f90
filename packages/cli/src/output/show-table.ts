import { type Cli, paint, print } from '../terminal/cli.ts';
import type { Style } from '../terminal/style.ts';
import { table } from './table.ts';

const good = ['Running', 'Done', 'Healthy', 'Ready'];
const bad = ['Error', 'Failed', 'Degraded', 'denied'];
const busy = 'Installing Upgrading Renaming Uninstalling Deleting Pending Started Progressing Creating Updating'.split(
  ' ',
);

const styles: ReadonlyMap<string, Style> = new Map([
  ...good.map((word) => [word, 'good'] as const),
  ...bad.map((word) => [word, 'bad'] as const),
  ...busy.map((word) => [word, 'busy'] as const),
]);

/** Writes rows as a table. On a terminal it has colours and is no wider than the terminal. */
export function showTable(cli: Cli, rows: readonly (readonly string[])[], { hasTitles = true } = {}): void {
  const look = {
    columns: cli.terminals.output?.columns,
    ellipsis: cli.isUnicode ? '…' : '...',
    paint: (padded: string, row: number) =>
      paint(cli, row === 0 && hasTitles ? 'title' : (styles.get(padded.trimEnd()) ?? null), padded),
  };
  for (const line of table(rows, look)) print(cli, line);
}
