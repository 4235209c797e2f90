import { expect, test } from 'vitest';
import { canReach, chosenIn, noName, stepIn, stepsToMend } from './steps.ts';

test.each([
  [{}, 'kind'],
  [{ kind: 'k' }, 'version'],
  [{ kind: 'k', chart: 'c' }, 'cluster'],
  [{ kind: 'k', chart: 'c', cluster: 'l' }, 'name'],
  [{ kind: 'k', chart: 'c', cluster: 'l', name: 'n' }, 'form'],
  [{ kind: 'k', chart: 'c', cluster: 'l', name: noName }, 'form'],
  [{ chart: 'c', cluster: 'l', name: 'n' }, 'kind'],
  [{ step: 'form', kind: 'k' }, 'version'],
  [{ step: 'cluster', kind: 'k', chart: 'c', cluster: 'l', name: 'n' }, 'cluster'],
  [{ step: 'elsewhere', kind: 'k' }, 'version'],
])('the address %j shows the step %s', (search, step) => {
  expect(stepIn(search)).toBe(step);
});

test('a step is reachable once all steps before it are done', () => {
  const chosen = chosenIn({ kind: 'k', chart: 'c' });
  expect((['kind', 'version', 'cluster', 'name'] as const).map((step) => canReach(step, chosen))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('an empty name differs from a name that was not given', () => {
  expect([chosenIn({}).name, chosenIn({ name: noName }).name, chosenIn({ name: 'web' }).name]).toEqual([
    null,
    '',
    'web',
  ]);
});

test('a refused field leads to its step', () => {
  const errors = [
    { path: 'body.name' },
    { path: 'body.config.replicas' },
    { path: 'body.name' },
    { path: 'body.cluster_id' },
  ];
  expect(stepsToMend({ code: 'unprocessable', errors })).toEqual(['name', 'cluster']);
  expect(stepsToMend({ code: 'conflict', errors: [] })).toEqual(['name']);
  expect(stepsToMend({ code: 'unavailable', errors: [] })).toEqual([]);
});
