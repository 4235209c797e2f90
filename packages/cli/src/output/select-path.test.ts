import { expect, test } from 'vitest';
import { isPath, selectPath } from './select-path.ts';

const row = { name: 'web', health: { state: 'Healthy' }, tasks: [{ id: 'a' }, { id: 'b' }], labels: { 'a.b/c': 'd' } };

test.for([
  ['name', 'web'],
  ['.health.state', 'Healthy'],
  ['tasks[1].id', 'b'],
  ["labels['a.b/c']", 'd'],
  ['.labels["a.b/c"]', 'd'],
  ['', row],
  ['constructor', undefined],
  ['name.length', undefined],
  ['missing.deep', undefined],
] as const)('the path %s selects a field of the row itself', ([path, value]) => {
  expect(selectPath(row, path)).toEqual(value);
});

test.for([
  ['.health.state', true],
  ["labels['a.b/c']", true],
  ['[0].id', true],
  ['', true],
  ['.items[*].name', false],
  ['.tasks[?(@.id)]', false],
  ['$.name', false],
  ['labels.a b', false],
  ['tasks[', false],
] as const)('whether %s is a path is known before anything is asked: %s', ([path, is]) => {
  expect(isPath(path)).toBe(is);
});
