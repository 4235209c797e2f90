import { glob, readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chart } from './support/helm-in-test.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Labels that scraping or the Prometheus server adds. One of a metric would become `exported_…`. */
const ofTargets = [
  'cluster',
  'env',
  'environment',
  'namespace',
  'pod',
  'container',
  'service',
  'job',
  'instance',
  'node',
  'region',
  'endpoint',
  'prometheus',
  'replica',
];
const added = ['namespace', 'pod', 'app_kubernetes_io_component'];

async function declaredLabels(): Promise<Set<string>> {
  const labels = new Set<string>(['le']);
  for await (const file of glob('{services/*,packages/*,packages/shared/*}/src/**/*.ts', { cwd: root })) {
    const text = await readFile(`${root}${file}`, 'utf8');
    for (const [, list = ''] of text.matchAll(/labelNames(?:: | = )\[([^\]]*)\]/g)) {
      for (const [, name = ''] of list.matchAll(/'(\w+)'/g)) labels.add(name);
    }
  }
  return labels;
}

test('no metric has a label that the targets of Prometheus usually have', async () => {
  const declared = await declaredLabels();

  expect(declared.size).toBeGreaterThan(12);
  expect(ofTargets.filter((label) => declared.has(label))).toEqual([]);
});

test('dashboards, alerts and objectives group by labels that some metric has', async () => {
  const declared = await declaredLabels();
  const files = [
    'alerts.yaml',
    'slos.yaml',
    ...(await readdir(`${chart}files/dashboards`)).map((name) => `dashboards/${name}`),
  ];
  const texts = await Promise.all(files.map((file) => readFile(`${chart}files/${file}`, 'utf8')));
  const used = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:by|on) \(([\w, ]+)\)/g)].flatMap(([, list = '']) => list.split(', ')),
  );

  expect(used.length).toBeGreaterThan(50);
  expect([...new Set(used)].filter((label) => !declared.has(label) && !added.includes(label))).toEqual([]);
});
