import { unwrap, waitForTask } from '@berth/client';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import type { Grounds } from './grounds.ts';

interface NewDeployment {
  name: string;
  /** The sample chart unless another one is given. */
  chart?: { id: string; kindId: string };
  config?: Deployment['config'];
}

type Needed = Pick<Grounds, 'platform' | 'sample'>;

async function create({ platform: { admin }, sample }: Needed, { name, chart, config }: NewDeployment) {
  const created = await admin.deployments.create({
    body: {
      name,
      kind_id: chart?.kindId ?? sample.registry.kind_id,
      cluster_id: sample.cluster.id,
      helm_chart_id: chart?.id ?? sample.chart.id,
      config: config ?? sampleChart.inputs,
      values_override: null,
    },
  });
  return { deployment: unwrap(created), taskIds: created.ok ? created.taskIds : [] };
}

/** Creates a deployment. A journey that changes one creates its own: others look at those that all share. */
export const deploy = async (needed: Needed, wanted: NewDeployment): Promise<Deployment> =>
  (await create(needed, wanted)).deployment;

/** Creates a deployment, and waits until its first task has ended. */
export async function deployed(needed: Needed, wanted: NewDeployment): Promise<Deployment> {
  const { deployment, taskIds } = await create(needed, wanted);
  for (const id of taskIds) await waitForTask(needed.platform.admin, id, { withinMs: 120_000 });
  return deployment;
}
