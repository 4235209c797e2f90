import { type Client, everyItem, type HelmChart, WaitedTooLong, waitUntil } from '@berth/client';
import { CliFailure } from '../failure/cli-failure.ts';
import { chartParts } from './chart-parts.ts';
import { kindOf } from './kind-named.ts';
import { resolve } from './resolve.ts';

export interface FoundChart {
  kindId: string;
  chart: HelmChart;
}

/** Refuses a text that cannot name a chart, before any request. */
export function chartName(text: string): string {
  readParts(text);
  return text;
}

function readParts(text: string): NonNullable<ReturnType<typeof chartParts>> {
  const parts = chartParts(text);
  if (parts) return parts;
  throw new CliFailure('usage', `a chart is KIND@VERSION or KIND@sha256:DIGEST; berth get charts lists versions`);
}

/** The chart that `KIND@VERSION` or `KIND@sha256:…` names. Waits up to `withinMs` for a chart that was just pushed. */
export async function findChart(client: Client, text: string, withinMs: number): Promise<FoundChart> {
  const { kind: kindName, version: wanted, isDigest } = readParts(text);
  const { id: kindId } = await resolve(client, kindOf('deploymentKinds'), kindName);
  const isWanted = ({ image_tag, image_digest }: HelmChart) => image_tag === wanted || image_digest === wanted;
  const look = async (): Promise<HelmChart | null> => {
    // A digest is no filter of the API.
    const query = { kind_id: kindId, available: true, ...(!isDigest && { image_tag: wanted }) };
    for await (const chart of everyItem((after) => client.helmCharts.list({ query: { ...query, after } }))) {
      if (isWanted(chart)) return chart;
    }
    return null;
  };
  const what = `chart ${text} in the catalogue`;
  const chart = await (withinMs > 0 ? waitUntil(look, { what, withinMs }) : look()).catch((cause: unknown) => {
    if (!(cause instanceof WaitedTooLong)) throw cause;
    const words = `chart ${text} did not arrive in the catalogue in time: was it pushed, and to a registry of berth get registries?`;
    throw new CliFailure('timedOut', words, { cause });
  });
  if (!chart)
    throw new CliFailure(
      'refused',
      `there is no chart ${text} in the catalogue; berth get charts --filter kind_id=${kindName} lists those of the kind, berth deploy --wait-for-chart waits for one`,
    );
  if (chart.error !== null) throw new CliFailure('refused', `chart ${text} cannot be deployed: ${chart.error}`);
  return { kindId, chart };
}
