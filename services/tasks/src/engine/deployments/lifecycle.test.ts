import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deploymentLifecycle, taskLifecycle } from './lifecycle.ts';

type Table = Record<string, { from: readonly string[]; to: string }>;

/** One arrow for each pair of states, with all events that lead along it. */
function drawn(table: Table, first: string): string {
  const events = new Map<string, string[]>();
  for (const [event, { from, to }] of Object.entries(table)) {
    for (const state of from) {
      const arrow = `${state} --> ${to}`;
      events.set(arrow, [...(events.get(arrow) ?? []), event]);
    }
  }
  const arrows = [...events].map(([arrow, names]) => `    ${arrow}: ${names.join(' / ')}`);
  return ['```mermaid', 'stateDiagram-v2', `    [*] --> ${first}`, ...arrows, '```'].join('\n');
}

test.for<[string, Table, string]>([
  ['deployment', deploymentLifecycle, 'Unknown'],
  ['task', taskLifecycle, 'Pending'],
])('the README draws the states of a %s as the table has them', ([, table, first]) => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

  expect(readme).toContain(drawn(table, first));
});
