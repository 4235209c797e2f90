import { ProblemError } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { namesOf } from '../../arguments/complete-names.ts';
import { requiredEnvFlag } from '../../arguments/env-flag.ts';
import { type InputFlags, inputFlags } from '../../arguments/input-flags.ts';
import { type WaitFlags, waitFlags } from '../../arguments/wait-flags.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { configInputs } from '../../input/config-inputs.ts';
import { chartName, findChart } from '../../names/find-chart.ts';
import { findCluster } from '../../names/find-cluster.ts';
import { kindOf } from '../../names/kind-named.ts';
import { resolve } from '../../names/resolve.ts';
import type { Cli } from '../../terminal/cli.ts';
import { reportTasks } from '../tasks/report-tasks.ts';

interface Flags extends ConnectionFlags, InputFlags, WaitFlags {
  env: string;
  chart: string;
  cluster?: string;
}

export const createDeployment = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Create a deployment, and refuse one that exists; deploy creates or changes it',
    fullDescription:
      'Create a deployment, and refuse one that exists; `berth deploy` creates or changes it.\n\n  berth create deployment shop -e prod --chart HelloWeb@1.2.0 --set greeting=Hello --set replicas=1 --wait',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: requiredEnvFlag('The env'),
      chart: { kind: 'parsed', parse: chartName, brief: 'KIND@VERSION or KIND@sha256:DIGEST' },
      cluster: {
        kind: 'parsed',
        parse: String,
        brief: 'The cluster, where the env has several',
        optional: true,
        proposeCompletions: namesOf('k8sClusters'),
      },
      ...inputFlags,
      ...waitFlags,
    },
    aliases: { e: 'env', f: 'file' },
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, brief: 'name of the deployment', placeholder: 'name' }],
    },
  },
  async func({ env, chart: text, cluster, set = [], file = [], wait, timeout, ...flags }, name) {
    const config = await configInputs({}, { files: file, sets: set });
    const client = await connect(this, flags);
    const [{ id: envId }, { kindId: kind_id, chart }] = await Promise.all([
      resolve(client, kindOf('envs'), env),
      findChart(client, text, 0),
    ]);
    const cluster_id = await findCluster(client, envId, cluster);
    const body = { name, kind_id, cluster_id, helm_chart_id: chart.id, config, values_override: null };
    const created = await client.deployments.create({ body });
    if (!created.ok) throw new ProblemError(created.problem);
    await reportTasks({ cli: this, client, queued: created, wait, timeout });
  },
});
