import { followLog, unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { type Cli, print } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { taskOf } from '../../names/task-of.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  follow?: boolean;
}

export const logs = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Show the log of a task, or of the newest task of a deployment',
    fullDescription:
      'Show the log of a task, or of the newest task of a deployment.\n\n  berth logs web -e prod\n  berth logs 1c1d4f6e-… -f',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: { kind: 'parsed', parse: String, brief: 'The env of the deployment', optional: true },
      follow: { kind: 'boolean', brief: 'Go on until the task ends', optional: true, withNegated: false },
    },
    aliases: { e: 'env', f: 'follow' },
    positional: {
      kind: 'tuple',
      parameters: [{ parse: String, brief: 'a deployment, by name or id, or the id of a task', placeholder: 'name' }],
    },
  },
  async func({ env, follow, ...flags }, name) {
    const client = await connect(this, flags);
    const { id } = await taskOf(client, name, env);
    const lines = follow ? followLog(client, id) : unwrap(await client.deploymentTasks.log({ id })).lines();
    for await (const line of lines) {
      if (!this.isOutputRead()) break;
      print(this, line);
    }
  },
});
