import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import type { Sample } from './find-sample.ts';
import { sampleChart } from './publish-sample-chart.ts';
import { Deployment, type Row } from './rows.ts';
import { waitFor } from './wait-for.ts';

/** Asks for a deployment of the sample chart; does not wait for it. */
export const askForHello = (api: ApiClient, { registry, chart, cluster }: Sample, name: string) =>
  api.send(
    'POST',
    '/deployments',
    {
      name,
      kind_id: registry.kind_id,
      cluster_id: cluster.id,
      helm_chart_id: chart.id,
      config: sampleChart.inputs,
      values_override: null,
    },
    Deployment,
  );

export async function deployHello(api: ApiClient, sample: Sample, name: string): Promise<Row<typeof Deployment>> {
  const { id } = await askForHello(api, sample, name);
  return untilRunning(api, id);
}

export const untilRunning = (api: ApiClient, id: string): Promise<Row<typeof Deployment>> =>
  waitFor(
    `deployment ${id} to run`,
    async () => {
      const deployment = await api.get(`/deployments/${id}`, Deployment);
      if (deployment.status === 'Error') throw new Error(`deployment ${deployment.name}: ${deployment.reason}`);
      return deployment.status === 'Running' ? deployment : null;
    },
    { withinMs: 180_000, everyMs: 100, signal: AbortSignal.timeout(200_000) },
  );

export async function removeHello(api: ApiClient, id: string): Promise<void> {
  await api.send('DELETE', `/deployments/${id}`, undefined, z.null());
}
