import { age } from './age.ts';
import { table } from './table.ts';

interface Fact {
  kind: string;
  since: string | null;
  message: string;
}

/** Facts of `why` as a table, in the order in which they count. */
export const factLines = (facts: readonly Fact[]): string[] =>
  facts.length === 0
    ? []
    : table([
        ['FACT', 'SINCE', 'MESSAGE'],
        ...facts.map(({ kind, since, message }) => [kind, since === null ? '' : age(since), message]),
      ]);
