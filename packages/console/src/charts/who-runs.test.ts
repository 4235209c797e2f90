import { expect, it } from 'vitest';
import { whoRuns } from './who-runs.ts';

it('each version that runs has the number of its deployments, and those furthest behind come first', () => {
  const versions = new Map([
    ['new', { id: 'new', image_tag: '2.0.0', newer: 0 }],
    ['old', { id: 'old', image_tag: '1.0.0', newer: 3 }],
  ]);
  const runs = ['new', 'old', 'new', 'unknown-chart'].map((helm_chart_id) => ({ helm_chart_id }));
  expect(whoRuns(runs, versions)).toEqual([
    { chart: 'old', tag: '1.0.0', newer: 3, count: 1 },
    { chart: 'new', tag: '2.0.0', newer: 0, count: 2 },
    { chart: 'unknown-chart', tag: 'unknown-', newer: 0, count: 1 },
  ]);
});
