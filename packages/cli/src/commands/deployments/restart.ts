import { type Client, everyItem, unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { deploymentArgument } from '../../arguments/positional.ts';
import { type WaitFlags, waitFlags } from '../../arguments/wait-flags.ts';
import { type Cli, print } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { resolveDeployment } from '../../names/resolve.ts';
import { followTasks } from '../tasks/follow-tasks.ts';

interface Flags extends ConnectionFlags, WaitFlags {
  env?: string;
}

const workloads = ['deployment', 'statefulset', 'daemonset'];

export const restart = buildCommand<Flags, [string, string?], Cli>({
  docs: {
    brief: 'Replace the pods of a deployment, one after the other',
    fullDescription:
      'Replace the pods of a deployment, one after the other: those of all its workloads, or of one.\n\n  berth restart web -e prod --wait\n  berth restart web -e prod StatefulSet/db',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      ...waitFlags,
    },
    aliases: { e: 'env' },
    positional: {
      kind: 'tuple',
      parameters: [
        deploymentArgument,
        { parse: String, brief: 'one workload, such as StatefulSet/db', placeholder: 'workload', optional: true },
      ],
    },
  },
  async func({ env, wait, timeout, ...flags }, name, workload) {
    const client = await connect(this, flags);
    const { id: deployment_id } = await resolveDeployment(client, name, env);
    const ids: string[] = [];
    for (const { id, name: resource_name } of await findWorkloads(client, deployment_id, workload)) {
      const operation = { RestartK8sResource: { resource_id: id, resource_name } };
      const task = unwrap(await client.deploymentTasks.create({ body: { deployment_id, operation } }));
      ids.push(task.id);
      print(this, `task/${task.id}`);
    }
    if (wait) await followTasks({ cli: this, client, ids, withinMs: timeout });
  },
});

async function findWorkloads(
  { k8sResources }: Client,
  deployment_id: string,
  wanted: string | undefined,
): Promise<{ id: string; name: string }[]> {
  const found: { id: string; name: string; text: string }[] = [];
  for await (const { id, name, kind } of everyItem((after) => k8sResources.list({ query: { deployment_id, after } }))) {
    if (workloads.includes(kind.toLowerCase())) found.push({ id, name, text: `${kind}/${name}` });
  }
  if (found.length === 0) throw new CliFailure('refused', 'the deployment runs no workload that can be restarted');
  if (wanted === undefined) return found;
  const one = found.find(({ text }) => text.toLowerCase() === wanted.toLowerCase());
  if (one) return [one];
  throw new CliFailure('refused', `there is no ${wanted}; known are: ${found.map(({ text }) => text).join(', ')}`);
}
