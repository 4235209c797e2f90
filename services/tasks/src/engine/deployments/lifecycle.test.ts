import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deploymentLifecycle, deploymentReturn, taskLifecycle } from './lifecycle.ts';

type Row = readonly [event: string, { from: readonly string[]; to: string }];

/** One arrow for each pair of states, with all events that lead from one to the other. */
function drawn(rows: readonly Row[], first: string): string {
  const events = new Map<string, string[]>();
  for (const [event, { from, to }] of rows) {
    for (const state of from) {
      const arrow = `${state} --> ${to}`;
      events.set(arrow, [...(events.get(arrow) ?? []), event]);
    }
  }
  const arrows = [...events].map(([arrow, names]) => `    ${arrow}: ${names.join(' / ')}`);
  return ['```mermaid', 'stateDiagram-v2', `    [*] --> ${first}`, ...arrows, '```'].join('\n');
}

const { event, from, to } = deploymentReturn;
const returns = to.map((state) => [event, { from: [from], to: state }] as const);

test.for<[string, readonly Row[], string]>([
  ['deployment', [...Object.entries(deploymentLifecycle), ...returns], 'Unknown'],
  ['task', Object.entries(taskLifecycle), 'Pending'],
])('the README draws the states of a %s as the table has them', ([, rows, first]) => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

  expect(readme).toContain(drawn(rows, first));
});
