import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { type InputFlags, inputFlags } from '../../arguments/input-flags.ts';
import { deploymentArgument } from '../../arguments/positional.ts';
import { type WaitFlags, waitFlags } from '../../arguments/wait-flags.ts';
import { type Cli, print } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { configInputs } from '../../input/config-inputs.ts';
import { kindOf } from '../../names/kind-named.ts';
import { envScope, resolve } from '../../names/resolve.ts';
import { followTasks } from '../tasks/follow-tasks.ts';

interface Flags extends ConnectionFlags, InputFlags, WaitFlags {
  env?: string;
}

export const action = buildCommand<Flags, [string, string], Cli>({
  docs: {
    brief: 'Call an action that the chart of a deployment offers',
    fullDescription:
      'Call an action that the chart of a deployment offers, by its id. It is called at most once.\n\n  berth action web say -e prod --set words="Good evening" --wait',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      ...inputFlags,
      ...waitFlags,
    },
    aliases: { e: 'env', f: 'file' },
    positional: {
      kind: 'tuple',
      parameters: [deploymentArgument, { parse: String, brief: 'id of the action', placeholder: 'action' }],
    },
  },
  async func({ env, set = [], file = [], wait, timeout, ...flags }, name, action_id) {
    const body = await configInputs({}, { files: file, sets: set });
    const client = await connect(this, flags);
    const found = await resolve(client, kindOf('deployments'), name, await envScope(client, env));
    const { id: deployment_id, helm_chart_id } = unwrap(await client.deployments.get({ id: found.id }));
    const operation = { InvokeAction: { helm_chart_id, action_id, body } };
    const { id } = unwrap(await client.deploymentTasks.create({ body: { deployment_id, operation } }));
    print(this, `task/${id}`);
    if (wait) await followTasks({ cli: this, client, ids: [id], withinMs: timeout });
  },
});
