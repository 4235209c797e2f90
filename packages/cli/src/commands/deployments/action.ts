import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { type Cli, print } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { configInputs } from '../../input/config-inputs.ts';
import { durationFlag } from '../../input/duration.ts';
import { kindOf } from '../../names/kind-named.ts';
import { envScope, resolve } from '../../names/resolve.ts';
import { followTasks } from '../tasks/follow-tasks.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  set?: readonly string[];
  file?: readonly string[];
  wait?: boolean;
  timeout?: number;
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
      env: { kind: 'parsed', parse: String, brief: 'The env of the deployment', optional: true },
      set: {
        kind: 'parsed',
        parse: String,
        brief: 'An input of the action, name=value; may be repeated',
        variadic: true,
        optional: true,
      },
      file: {
        kind: 'parsed',
        parse: String,
        brief: 'Inputs in YAML or JSON; may be repeated',
        variadic: true,
        optional: true,
      },
      wait: { kind: 'boolean', brief: 'Follow the log until the task ends', optional: true, withNegated: false },
      timeout: durationFlag('How long --wait waits at most; 10m unless given'),
    },
    aliases: { e: 'env', f: 'file' },
    positional: {
      kind: 'tuple',
      parameters: [
        { parse: String, brief: 'name or id', placeholder: 'deployment' },
        { parse: String, brief: 'id of the action', placeholder: 'action' },
      ],
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
