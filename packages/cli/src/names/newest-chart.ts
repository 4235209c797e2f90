import { type Client, everyItem, type HelmChart } from '@berth/client';
import { CliFailure } from '../failure/cli-failure.ts';

/** Of the charts of a kind that can be deployed, the one that was pushed last. */
export async function newestChart({ helmCharts }: Client, kind_id: string): Promise<HelmChart> {
  const query = { kind_id, available: true };
  for await (const chart of everyItem((after) => helmCharts.list({ query: { ...query, after } }))) {
    if (chart.error === null) return chart;
  }
  throw new CliFailure('refused', 'the catalogue has no chart of this kind that can be deployed');
}
