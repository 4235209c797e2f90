import { stringify } from 'yaml';
import type { ChartValues } from './chart-values.ts';
import { type Entry, isGroup } from './read-values.ts';
import { typeOf } from './type-of.ts';

/** `values.yaml` of the umbrella, with every value of every part, in the notation of helm-docs: `# -- (type) what it does`. */
export function valuesFile({ umbrella, parts }: ChartValues): string {
  const ofParts = Object.entries(parts).map(([name, members]): Entry => ({ name, says: '', members }));
  const head =
    '# Written by packages/chart of the repository from packages/chart/values; docs/values.md is the same as a page.\n';
  return `${head}\n${[...umbrella, ...ofParts].map((entry) => linesOf(entry, '').join('\n')).join('\n\n')}\n`;
}

function linesOf(entry: Entry, indent: string): string[] {
  const { name, says } = entry;
  if (isGroup(entry)) {
    const members = entry.members.flatMap((member) => linesOf(member, `${indent}  `));
    return [...(says ? [`${indent}# ${says}`] : []), `${indent}${name}:`, ...members];
  }
  const { schema, standard } = entry;
  const value = stringify(standard, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
  return [`${indent}# -- (${typeOf(schema)}) ${says}`, `${indent}${name}: ${value}`];
}
