import { type Client, type Deployment, ProblemError } from '@berth/client';
import type { InputFlags } from '../../arguments/input-flags.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { configInputs } from '../../input/config-inputs.ts';
import { findChart } from '../../names/find-chart.ts';
import { newestChart } from '../../names/newest-chart.ts';
import { resolveDeployment } from '../../names/resolve.ts';
import { changeOf } from './deploy-decisions.ts';

export interface WantedChange extends InputFlags {
  env?: string;
  /** Without it the chart stays, or becomes the newest one. */
  chart?: string;
  takesNewest?: boolean;
}

interface Change {
  present: Deployment;
  etag: string | null;
  change: ReturnType<typeof changeOf>;
}

/** An existing deployment, and what would change in it. */
export async function readChange(client: Client, wanted: WantedChange, name: string): Promise<Change> {
  const { id } = await resolveDeployment(client, name, wanted.env);
  const read = await client.deployments.get({ id });
  if (!read.ok) throw new ProblemError(read.problem);
  const { value: present, etag } = read;
  const chartId = await chartIdOf(client, wanted, present);
  const config = await configInputs(present.config, { files: wanted.file ?? [], sets: wanted.set ?? [] });
  const change = changeOf(present, { name, chartId, config, clusterId: null }, { enable: false });
  return { present, etag, change };
}

async function chartIdOf(
  client: Client,
  { chart: text, takesNewest }: WantedChange,
  { kind_id, helm_chart_id }: Deployment,
): Promise<string> {
  if (text === undefined) return takesNewest ? (await newestChart(client, kind_id)).id : helm_chart_id;
  const { kindId, chart } = await findChart(client, text, 0);
  if (kindId !== kind_id) throw new CliFailure('usage', `${text} is of another kind than the deployment`);
  return chart.id;
}
