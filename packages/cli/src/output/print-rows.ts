import type { Client } from '@berth/client';
import { type Cli, print, say } from '../terminal/cli.ts';
import type { Column, Kind, Row } from '../names/kinds.ts';
import { age } from './age.ts';
import type { Format } from './formats.ts';
import { readNames, type Names } from './read-names.ts';
import { selectPath } from './select-path.ts';
import { showTable } from './show-table.ts';

interface Shown {
  cli: Cli;
  client: Client;
  kind: Kind;
  format: Format;
  /** False after the first part of a stream. */
  hasTitles?: boolean;
  /** In a stream, each row is a document of its own. */
  isStream?: boolean;
}

/** Shows the rows of a kind. In JSON and YAML a single row that was named is an object; otherwise the rows are a list. */
export async function printRows(
  { cli, client, kind, format, hasTitles = true, isStream = false }: Shown,
  rows: readonly Row[],
  isOne: boolean,
): Promise<void> {
  if (isStream && format.kind === 'json') return rows.forEach((row) => print(cli, JSON.stringify(row)));
  if (isStream && format.kind === 'yaml') {
    for (const row of rows) print(cli, `---\n${await yamlOf(row)}`);
    return;
  }
  const content = isOne ? rows[0] : rows;
  if (format.kind === 'json') return print(cli, JSON.stringify(content, null, 2));
  if (format.kind === 'yaml') return print(cli, await yamlOf(content));
  if (format.kind === 'name')
    return rows.forEach((row) => print(cli, `${kind.names[1] ?? kind.names[0]}/${nameOfRow(kind, row)}`));
  if (format.kind === 'path') return rows.forEach((row) => print(cli, textOf(selectPath(row, format.path))));
  if (rows.length === 0) return say(cli, `no ${kind.names[0]}`);
  const columns = kind.columns.filter(({ wide }) => format.kind === 'wide' || !wide);
  const names = await readNames(client, columns);
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column, names)));
  showTable(cli, [...(hasTitles ? [columns.map(({ title }) => title)] : []), ...cells], { hasTitles });
}

/** Loaded only where it is asked for. */
export async function yamlOf(content: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(content).trimEnd();
}

export const nameOfRow = ({ name }: Kind, row: Row): string =>
  name === undefined ? row.id : textOf(row[name]) || row.id;

function cellOf(row: Row, column: Column, names: Names): string {
  const { field, otherwise = [], of, title, isKey } = column;
  if (isKey) return Object.keys(Object(selectPath(row, field)))[0] ?? '';
  const text = [field, ...otherwise].map((path) => textOf(selectPath(row, path))).find((one) => one !== '') ?? '';
  if (of !== undefined) return names(column, text) ?? text;
  return title === 'AGE' || title === 'UPDATED' ? age(text) : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
