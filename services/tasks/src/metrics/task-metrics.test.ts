import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { boundedDepths, createTaskMetrics, labelledClusters } from './task-metrics.ts';

const depth = (cluster: string, due: number, oldest_seconds = 1) => ({
  cluster,
  due,
  started: 1,
  awaiting: 0,
  oldest_seconds,
});

test('clusters beyond the labelled ones share one series', () => {
  const many = Array.from({ length: labelledClusters + 3 }, (_, index) => depth(`c${index}`, 100 - index, index));

  const bounded = boundedDepths(many);

  expect(bounded).toHaveLength(labelledClusters + 1);
  expect(bounded.at(-1)).toEqual({
    cluster: 'other clusters',
    due: 50 + 49 + 48,
    started: 3,
    awaiting: 0,
    oldest_seconds: 52,
  });
  expect(boundedDepths(many.slice(0, labelledClusters))).toEqual(many.slice(0, labelledClusters));
});

test('a cluster without open tasks has no series', async () => {
  const registry = new Registry();
  const metrics = createTaskMetrics(registry);

  metrics.queue([depth('one', 2), depth('two', 1)]);
  metrics.queue([depth('two', 5)]);

  const shown = await registry.metrics();
  expect(shown).toContain('berth_tasks_due{berth_cluster="two"} 5');
  expect(shown).not.toContain('"one"');
});
