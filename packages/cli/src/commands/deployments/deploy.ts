import { type Answer, type Client, type Deployment, everyItem, ProblemError, unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { requiredEnvFlag } from '../../arguments/env-flag.ts';
import { type InputFlags, inputFlags } from '../../arguments/input-flags.ts';
import { type WaitFlags, waitFlags } from '../../arguments/wait-flags.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { configInputs } from '../../input/config-inputs.ts';
import { durationFlag } from '../../input/duration.ts';
import { chartName, findChart } from '../../names/find-chart.ts';
import { findCluster } from '../../names/find-cluster.ts';
import { kindOf } from '../../names/kind-named.ts';
import { plainName, resolve } from '../../names/resolve.ts';
import { showPlan } from '../../output/show-plan.ts';
import { withProgress } from '../../terminal/progress.ts';
import { reportTasks } from '../tasks/report-tasks.ts';
import { changeOf, deploymentMeant, type DesiredDeployment } from './deploy-decisions.ts';
import { followPresent } from './follow-present.ts';

interface Flags extends ConnectionFlags, InputFlags, WaitFlags {
  env: string;
  /** Without it the chart stays. */
  chart?: string;
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
      'Create a deployment, or change its chart and inputs. What you do not give stays as it is: without --chart the chart, without --set and -f the inputs. If nothing differs, nothing is done, so a pipeline may repeat the command. A disabled deployment is refused without --enable. --cluster with another cluster means another deployment; --move moves the one that is there.',
      '',
      'In a pipeline set BERTH_URL and BERTH_TOKEN (berth token create --bot), and heed the exit code of --wait: 0 done, 1 failed, 2 wrong usage or input, 3 refused, 4 timed out, 130 cancelled. `berth describe chart HelloWeb@1.2.0` shows the inputs of a chart, `berth get charts` its versions.',
      '',
      '  berth deploy web -e prod --chart HelloWeb@1.2.0 --set replicas=3 --wait',
      '  berth deploy web -e prod --chart HelloWeb@1.2.0 -f values.yaml --plan',
      '  berth deploy web -e prod --chart HelloWeb@1.2.0 --wait-for-chart 2m --wait --timeout 10m',
      '  berth deploy web -e prod --set replicas=2',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: requiredEnvFlag('The env'),
      chart: {
        kind: 'parsed',
        parse: chartName,
        brief: 'KIND@VERSION or KIND@sha256:DIGEST; a new deployment needs it',
        optional: true,
      },
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
  async func(flags, given) {
    if (flags.waitForChart !== undefined && flags.chart === undefined)
      throw new CliFailure('usage', '--wait-for-chart needs --chart');
    const name = plainName(kindOf('deployments'), given);
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
  const { chart: chartText } = flags;
  const [{ id: envId }, named] = await Promise.all([
    resolve(client, kindOf('envs'), flags.env),
    chartText === undefined
      ? null
      : withProgress(cli, `waiting for chart ${chartText}`, findChart(client, chartText, flags.waitForChart ?? 0)),
  ]);
  const { enable = false, move = false } = flags;
  const clusterId = flags.cluster === undefined ? null : await findCluster(client, envId, flags.cluster);
  const found = await findDeployments(client, { envId, name, ...(named && { kindId: named.kindId }) });
  const clusters = found.length > 1 ? await clusterNames(client, envId) : undefined;
  const meant = deploymentMeant(found, { name, clusterId }, { move }, clusters);
  const read = meant && (await client.deployments.get({ id: meant.id }));
  if (read && !read.ok) throw new ProblemError(read.problem);
  const present = read?.value ?? null;
  const kindId = named?.kindId ?? present?.kind_id;
  const chartId = named?.chart.id ?? present?.helm_chart_id;
  if (kindId === undefined || chartId === undefined)
    throw new CliFailure('usage', `there is no deployment ${name} there yet: --chart KIND@VERSION creates it`);
  const config = await configInputs(present?.config ?? {}, { files: flags.file ?? [], sets: flags.set ?? [] });
  const wanted: DesiredDeployment = { name, chartId, config, clusterId };
  const cluster_id = clusterId ?? present?.cluster_id ?? (await findCluster(client, envId, undefined));
  return {
    ...wanted,
    present,
    etag: read?.etag,
    change: present ? changeOf(present, wanted, { enable }) : {},
    creation: { name, kind_id: kindId, cluster_id, helm_chart_id: chartId, config, values_override: null },
  };
}

async function clusterNames({ k8sClusters }: Client, env_id: string): Promise<Map<string, string>> {
  const { items } = unwrap(await k8sClusters.list({ query: { env_id, per_page: 100 } }));
  return new Map(items.map((cluster) => [cluster.id, cluster.name]));
}

async function findDeployments(
  client: Client,
  { envId, kindId, name }: { envId: string; kindId?: string; name: string },
): Promise<Deployment[]> {
  const query = { env_id: envId, ...(kindId !== undefined && { kind_id: kindId }), ...(name !== '' && { name }) };
  const found: Deployment[] = [];
  for await (const one of everyItem((after) => client.deployments.list({ query: { ...query, after } }))) {
    if (one.name === name) found.push(one);
  }
  if (new Set(found.map(({ kind_id }) => kind_id)).size > 1)
    throw new CliFailure('usage', `deployments of several kinds are named ${name}: --chart KIND@VERSION says which`);
  return found;
}
