import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chart, type HelmInTest, merged, needed, startHelm } from './support/helm-in-test.ts';
import { releases } from './support/releases.ts';

let helm: HelmInTest;
beforeAll(async () => {
  helm = await startHelm();
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

describe.concurrent("Helm's strict linter accepts a release", { timeout: 120_000 }, () => {
  test.for(releases)('%s', async ([, values]) => {
    // The linter takes the last argument for the chart, and has none for the cluster.
    const printed = await helm.helm(['lint', '--strict', '--quiet', chart], merged(needed, values));

    expect(printed).toBe('');
  });
});

test('releases differ in at least 40 ways', () => {
  expect(new Set(releases.map(([, values, args]) => JSON.stringify([values, args]))).size).toBeGreaterThanOrEqual(40);
});
