import type { Cli } from '../terminal/cli.ts';
import { age } from './age.ts';
import { showTable } from './show-table.ts';

interface Fact {
  kind: string;
  since: string | null;
  message: string;
}

/** Facts of `why` as a table, the most important first. */
export function showFacts(cli: Cli, facts: readonly Fact[]): void {
  if (facts.length === 0) return;
  const rows = facts.map(({ kind, since, message }) => [kind, since === null ? '' : age(since), message]);
  showTable(cli, [['FACT', 'SINCE', 'MESSAGE'], ...rows]);
}
