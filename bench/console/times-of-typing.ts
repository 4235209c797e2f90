import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import type { Visitor } from '../../tests/console/browser/visitor.ts';
import { publishChart } from '../platform/publish-chart.ts';

const inputs = Array.from({ length: 100 }, (_, index) => ({
  id: `input_${index}`,
  type: 'text',
  label: `Input ${index}`,
  initialValue: 'as it was',
}));

const chart = {
  name: 'many-inputs',
  files: {
    'berth/values-ui.yaml': JSON.stringify({ apiVersion: 'berth.dev/v1beta1', kind: 'ValuesUi', inputs }),
    'templates/config-map.yaml': JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: '{{ .Release.Name }}' },
      data: { first: '{{ .Values.input_0 }}' },
    }),
  },
};

/** In the page: collects the time from each key to the frame that shows it. */
const watchKeys = `{
  globalThis.timesOfKeys = [];
  addEventListener('keydown', ({ timeStamp }) =>
    requestAnimationFrame(() => setTimeout(() => timesOfKeys.push(performance.now() - timeStamp))), { capture: true });
}`;

const typed = 'a value that takes some time to type, such as the address of a host';

/** The times from a key press to the frame that shows it, in the form of a chart with a hundred inputs. */
export async function timesOfTyping(
  { page }: Visitor,
  stack: Stack,
  { api, sample }: Fixtures,
): Promise<readonly number[]> {
  const listed = await publishChart(stack, api, chart);
  const created = await api.deployments.create({
    body: {
      name: 'typed',
      kind_id: listed.kindId,
      cluster_id: sample.cluster.id,
      helm_chart_id: listed.chart.id,
      config: Object.fromEntries(inputs.map(({ id, initialValue }) => [id, initialValue])),
      values_override: null,
    },
  });
  await page.goto(new URL(`/deployments/${unwrap(created).id}/change`, page.url()).href);
  const times: number[] = [];
  for (const label of ['Input 0', 'Input 50', 'Input 99']) {
    await page.getByRole('textbox', { name: label, exact: true }).focus();
    if (times.length === 0) await page.evaluate(watchKeys);
    await page.keyboard.type(typed, { delay: 60 });
    times.push(...(await page.evaluate<number[]>('timesOfKeys.splice(0)')));
  }
  return times;
}
