import { expect, test } from 'vitest';
import { gridOf, needsAttention, type Placed } from './grid.ts';

const placed = (name: string, kind_id: string, cluster_id: string): Placed => ({
  id: name,
  name,
  kind_id,
  cluster_id,
  helm_chart_id: 'c',
  enabled: true,
  status: 'Running',
  health: null,
  reason: null,
});
const clusters = [
  { id: '2', name: 'west' },
  { id: '1', name: 'east' },
];
const nameOf = (id: string) => ({ a: 'Web', b: 'Api' })[id] ?? id;

test('kinds and clusters are sorted by name, and a cluster without deployments has a column too', () => {
  const grid = gridOf([placed('shop', 'a', '2'), placed('x', 'b', '2'), placed('blog', 'a', '2')], clusters, nameOf);

  expect(grid.clusters).toEqual(['1', '2']);
  expect(grid.kinds.map(({ id, cells }) => [id, cells.map((cell) => cell.map(({ name }) => name))])).toEqual([
    ['b', [[], ['x']]],
    ['a', [[], ['blog', 'shop']]],
  ]);
});

test('a deployment on a cluster that is not known yet is shown', () => {
  const grid = gridOf([placed('shop', 'a', '3')], clusters, nameOf);

  expect(grid.clusters).toEqual(['1', '2', '3']);
  expect(grid.kinds[0]?.cells[2]).toHaveLength(1);
});

test('a deployment needs attention after a failed task, or if it is enabled and unhealthy', () => {
  const unwell = { since: '', state: 'Degraded' as const, causes: [], reason: null };

  expect(needsAttention({ status: 'Error', enabled: false, health: null })).toBe(true);
  expect(needsAttention({ status: 'Running', enabled: true, health: unwell })).toBe(true);
  expect(needsAttention({ status: 'Running', enabled: false, health: unwell })).toBe(false);
  expect(needsAttention({ status: 'Running', enabled: true, health: { ...unwell, state: 'Healthy' } })).toBe(false);
});
