import { type Client, unwrap, waitUntil } from '@berth/client';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import type { Sample } from './find-sample.ts';
import { JourneyFailed } from './journey-failed.ts';
import { sampleChart } from './publish-sample-chart.ts';

/** Creates a deployment of the sample chart without waiting for it. */
export const createHello = async (
  { deployments }: Client,
  { registry, chart, cluster }: Sample,
  name: string,
  inputs: JsonObject = {},
): Promise<Deployment> =>
  unwrap(
    await deployments.create({
      body: {
        name,
        kind_id: registry.kind_id,
        cluster_id: cluster.id,
        helm_chart_id: chart.id,
        config: { ...sampleChart.inputs, ...inputs },
        values_override: null,
      },
    }),
  );

export const waitForRunning = (
  { deployments }: Client,
  id: string,
  { withinMs, signal }: { withinMs: number; signal?: AbortSignal } = { withinMs: 180_000 },
): Promise<Deployment> =>
  waitUntil(
    async () => {
      const { status, reason, ...deployment } = unwrap(await deployments.get({ id }));
      if (status === 'Error')
        throw new JourneyFailed(`deployment ${deployment.name} is in Error: ${reason ?? 'no reason'}`);
      return status === 'Running' && { ...deployment, status, reason };
    },
    { what: `deployment ${id} to run`, withinMs, longestPauseMs: 500, ...(signal && { signal }) },
  );
