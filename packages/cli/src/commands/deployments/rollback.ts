import { type DeploymentTask, unwrap } from '@berth/client';
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
  to?: string;
}

const deploys = ['Install', 'Upgrade', 'Recreate'];
const isDeploy = ({ operation, status }: DeploymentTask): boolean =>
  status === 'Done' && deploys.some((name) => name in operation);

export const rollback = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Return to the chart and inputs of an earlier deploy',
    fullDescription: [
      'Return to the chart and inputs of an earlier deploy: the last one before the present, or the task that --to names. `berth tasks` lists tasks with their ages.',
      '',
      '  berth rollback web -e prod --wait',
      '  berth tasks web -e prod',
      '  berth rollback web -e prod --to 1c1d4f6e-…',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      to: { kind: 'parsed', parse: String, brief: 'Id of the task to return to', optional: true },
      ...waitFlags,
    },
    aliases: { e: 'env' },
    positional: { kind: 'tuple', parameters: [deploymentArgument] },
  },
  async func({ env, to, wait, timeout, ...flags }, name) {
    const client = await connect(this, flags);
    const { id: deploymentId, revision_id: present } = await resolveDeployment(client, name, env);
    const query = { deployment_id: deploymentId, status: 'Done', sort: '-created_at', per_page: 100 } as const;
    const earlier = unwrap(await client.deploymentTasks.list({ query })).items.filter(isDeploy);
    const target = to?.replace(/^task\//, '') ?? earlier.find(({ id }) => id !== present)?.id;
    if (target === undefined) throw new CliFailure('refused', `${name} has no earlier deploy that is done`);
    const { id } = unwrap(await client.deploymentTasks.rollback({ id: deploymentId, body: { task_id: target } }));
    print(this, `task/${id}`);
    if (wait) await followTasks({ cli: this, client, ids: [id], withinMs: timeout });
  },
});
