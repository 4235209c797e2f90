import type { ChartValues } from './chart-values.ts';
import { type Entry, isGroup, type Value } from './read-values.ts';
import { typeOf } from './type-of.ts';

const head = `# Values of the chart

Every value of [\`deploy/berth\`](../deploy/berth), from the comments and the schema of the chart; [installing](install.md) says which of them an
installation needs. \`helm show values\` prints the same. A value that is misspelled, or cannot work, is refused with its name.

This page is written by \`npm run generate\`.
`;

/** docs/values.md */
export function valuesPage({ umbrella, everyPart, parts }: ChartValues): string {
  const top = umbrella.filter((entry) => !isGroup(entry));
  const groups = umbrella.filter(isGroup);
  const common = new Map(rowsOf(everyPart).map((row) => [row.name, row]));
  const sections = [
    section('The release', '', rowsOf(top)),
    ...groups.map(({ name, says, members }) => section(`\`${name}\``, says, rowsOf(members, `${name}.`))),
    section('Every part', `Under ${listOf(Object.keys(parts))}.`, rowsOf(everyPart, '<part>.')),
    ...Object.entries(parts).map(([name, members]) => {
      const own = rowsOf(members).filter((row) => common.get(row.name)?.standard !== row.standard);
      return section(`\`${name}\``, 'Beside the values of every part, or with another default.', own.map(under(name)));
    }),
  ];
  return [head, ...sections].join('\n');
}

interface Row {
  name: string;
  type: string;
  standard: string;
  says: string;
}

const under = (part: string) => (row: Row) => ({ ...row, name: `${part}.${row.name}` });

function rowsOf(entries: readonly Entry[], before = ''): Row[] {
  return entries.flatMap((entry) =>
    isGroup(entry) ? rowsOf(entry.members, `${before}${entry.name}.`) : [rowOf(entry, before)],
  );
}

const rowOf = ({ name, says, schema, standard }: Value, before: string): Row => ({
  name: `${before}${name}`,
  type: typeOf(schema),
  standard: JSON.stringify(standard),
  says,
});

function section(title: string, says: string, rows: readonly Row[]): string {
  const lines = rows.map((row) => `| \`${row.name}\` | ${row.type} | \`${row.standard}\` | ${inCell(row.says)} |`);
  return [
    `## ${title}`,
    '',
    ...(says ? [says, ''] : []),
    '| Value | Type | Default | Effect |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** A bar would end the cell, an angle bracket outside of code would be HTML. */
const inCell = (says: string): string =>
  says.replaceAll('|', '\\|').replaceAll(/(?<!`[^`]*)<([a-zA-Z]+)>(?![^`]*`)/g, '&lt;$1&gt;');

const listOf = (names: readonly string[]): string =>
  `${names
    .slice(0, -1)
    .map((name) => `\`${name}\``)
    .join(', ')} and \`${names.at(-1)}\``;
