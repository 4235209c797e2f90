import { expect, test } from 'vitest';
import { selectPath } from './select-path.ts';

const row = { name: 'web', health: { state: 'Healthy' }, tasks: [{ id: 'a' }, { id: 'b' }] };

test.for([
  ['name', 'web'],
  ['.health.state', 'Healthy'],
  ['tasks[1].id', 'b'],
  ['', row],
  ['constructor', undefined],
  ['name.length', undefined],
  ['missing.deep', undefined],
] as const)('the path %s selects a field of the row itself', ([path, value]) => {
  expect(selectPath(row, path)).toEqual(value);
});
