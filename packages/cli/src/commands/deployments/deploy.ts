import { type Answer, type Client, type Deployment, everyItem, ProblemError, unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { requiredEnvFlag } from '../../arguments/env-flag.ts';
import { type InputFlags, inputFlags } from '../../arguments/input-flags.ts';
import { type WaitFlags, waitFlags } from '../../arguments/wait-flags.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { configInputs } from '../../input/config-inputs.ts';
import { durationFlag } from '../../input/duration.ts';
import { chartName, findChart } from '../../names/find-chart.ts';
import { findCluster } from '../../names/find-cluster.ts';
import { kindOf } from '../../names/kind-named.ts';
import { resolve } from '../../names/resolve.ts';
import { showPlan } from '../../output/show-plan.ts';
import { withProgress } from '../../terminal/progress.ts';
import { reportTasks } from '../tasks/report-tasks.ts';
import { changeOf, deploymentMeant, type DesiredDeployment } from './deploy-decisions.ts';
import { followPresent } from './follow-present.ts';

interface Flags extends ConnectionFlags, InputFlags, WaitFlags {
  env: string;
  chart: string;
  cluster?: string;
  move?: boolean;
  enable?: boolean;
  plan?: boolean;
  waitForChart?: number;
  key?: string;
}

export const deploy = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Create a deployment, or bring it to a chart and inputs',
    fullDescription: [
      'Create a deployment, or bring it to a chart and inputs. Inputs that are not given stay. Where nothing differs nothing is done, so a pipeline may repeat it. A disabled deployment is refused without --enable; another --cluster is another deployment without --move.',
      '',
      '  berth deploy web -e prod --chart HelloWeb@1.2.0 --set replicas=3 --wait',
      '  berth deploy web -e prod --chart HelloWeb@1.2.0 -f values.yaml --plan',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: requiredEnvFlag('The env'),
      chart: { kind: 'parsed', parse: chartName, brief: 'KIND@VERSION or KIND@sha256:DIGEST' },
      cluster: { kind: 'parsed', parse: String, brief: 'The cluster, where the env has several', optional: true },
      move: { kind: 'boolean', brief: 'Move it to --cluster from another one', optional: true, withNegated: false },
      enable: { kind: 'boolean', brief: 'Also enable a disabled deployment', optional: true, withNegated: false },
      ...inputFlags,
      plan: { kind: 'boolean', brief: 'Show what would be done, and do nothing', optional: true, withNegated: false },
      ...waitFlags,
      waitForChart: durationFlag('How long to wait for a chart that was just pushed'),
      key: {
        kind: 'parsed',
        parse: String,
        brief: 'Idempotency key of a creation, such as the id of the build',
        optional: true,
      },
    },
    aliases: { e: 'env', f: 'file' },
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, brief: 'name of the deployment', placeholder: 'name' }],
    },
  },
  async func(flags, name) {
    const client = await connect(this, flags);
    const wanted = await readWanted(this, client, flags, name);
    const { present, change } = wanted;
    if (present && Object.keys(change).length === 0) {
      say(this, `${name} has this chart and these inputs already`);
      if (flags.wait) await followPresent({ cli: this, client, present, wanted, withinMs: flags.timeout });
      return;
    }
    if (flags.plan) {
      const { deploymentPlans } = client;
      const plan = present
        ? await deploymentPlans.of_update({ id: present.id, body: change })
        : await deploymentPlans.of_creation({ body: wanted.creation });
      showPlan(this, unwrap(plan));
      return;
    }
    const changed: Answer<Deployment> = present
      ? await client.deployments.update(
          { id: present.id, body: change },
          { ...(wanted.etag && { ifMatch: wanted.etag }) },
        )
      : await client.deployments.create(
          { body: wanted.creation },
          flags.key === undefined ? {} : { idempotencyKey: flags.key },
        );
    if (!changed.ok) throw new ProblemError(changed.problem);
    if (changed.taskCount === 0) print(this, `deployment/${changed.value.id}`);
    await reportTasks({ cli: this, client, queued: changed, wait: flags.wait, timeout: flags.timeout });
  },
});

/** The deployment as it is, and what the flags make of it. */
async function readWanted(cli: Cli, client: Client, flags: Flags, name: string) {
  const [{ id: envId }, { kindId, chart }] = await Promise.all([
    resolve(client, kindOf('envs'), flags.env),
    withProgress(cli, `waiting for chart ${flags.chart}`, findChart(client, flags.chart, flags.waitForChart ?? 0)),
  ]);
  const { enable = false, move = false } = flags;
  const clusterId = flags.cluster === undefined ? null : await findCluster(client, envId, flags.cluster);
  const found = await findDeployments(client, { envId, kindId, name });
  const clusters = found.length > 1 ? await clusterNames(client, envId) : undefined;
  const meant = deploymentMeant(found, { name, clusterId }, { move }, clusters);
  const read = meant && (await client.deployments.get({ id: meant.id }));
  if (read && !read.ok) throw new ProblemError(read.problem);
  const present = read?.value ?? null;
  const config = await configInputs(present?.config ?? {}, { files: flags.file ?? [], sets: flags.set ?? [] });
  const wanted: DesiredDeployment = { name, chartId: chart.id, config, clusterId };
  const cluster_id = clusterId ?? present?.cluster_id ?? (await findCluster(client, envId, undefined));
  return {
    ...wanted,
    present,
    etag: read?.etag,
    change: present ? changeOf(present, wanted, { enable }) : {},
    creation: { name, kind_id: kindId, cluster_id, helm_chart_id: chart.id, config, values_override: null },
  };
}

async function clusterNames({ k8sClusters }: Client, env_id: string): Promise<Map<string, string>> {
  const { items } = unwrap(await k8sClusters.list({ query: { env_id, per_page: 100 } }));
  return new Map(items.map((cluster) => [cluster.id, cluster.name]));
}

async function findDeployments(
  client: Client,
  { envId, kindId, name }: { envId: string; kindId: string; name: string },
): Promise<Deployment[]> {
  const query = { env_id: envId, kind_id: kindId, ...(name !== '' && { name }) };
  const found: Deployment[] = [];
  for await (const one of everyItem((after) => client.deployments.list({ query: { ...query, after } }))) {
    if (one.name === name) found.push(one);
  }
  return found;
}
