import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readChart } from './chart.ts';

const chartWith = (label: string) => ({
  id: randomUUID(),
  kind_id: randomUUID(),
  image_tag: '1.0.0',
  available: true,
  error: null,
  values_ui: { inputs: [{ id: 'replicas', type: 'number', label }] },
  features: { cardinality: 'OnePerCluster' },
  digest: null,
  actions_schema: null,
});

test('the form and the features of a chart are parsed once, however often the chart is read', () => {
  const chart = chartWith('Replicas');

  const first = readChart(structuredClone(chart));
  const again = readChart(structuredClone(chart));

  expect(again.form).toBe(first.form);
  expect(again.parsedFeatures).toBe(first.parsedFeatures);
  expect(first).toMatchObject({
    form: { inputs: [{ label: 'Replicas' }] },
    parsedFeatures: { cardinality: 'OnePerCluster' },
  });
});

test('a chart whose form has changed is read with the new form', () => {
  const chart = chartWith('Old');
  readChart(chart);

  expect(readChart({ ...chart, values_ui: chartWith('New').values_ui }).form?.inputs[0]?.label).toBe('New');
});
