import { ProblemError } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { kindArgument, rowArgument } from '../../arguments/positional.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { callsOf } from '../../names/calls-of.ts';
import { kindNamed } from '../../names/kind-named.ts';
import { envScope, resolve } from '../../names/resolve.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  yes?: boolean;
}

export const deleteCommand = buildCommand<Flags, [string, string], Cli>({
  docs: {
    brief: 'Delete a row; a deployment is uninstalled first',
    fullDescription:
      'Delete a row; a deployment is uninstalled first, by a task that `berth wait` follows.\n\n  berth delete deployment web -e prod --yes',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env in which the name is looked for'),
      yes: { kind: 'boolean', brief: 'Do it: without, nothing is deleted', optional: true, withNegated: false },
    },
    aliases: { e: 'env' },
    positional: {
      kind: 'tuple',
      parameters: [kindArgument, rowArgument],
    },
  },
  async func({ env, yes, ...flags }, kindName, name) {
    const kind = kindNamed(kindName);
    const client = await connect(this, flags);
    const calls = callsOf(client, kind);
    if (!calls.delete) throw new CliFailure('usage', `${kind.names[0]} cannot be deleted`);
    const { id } = await resolve(client, kind, name, await envScope(client, env));
    const words = `${kind.names[1]} ${name} (${id})`;
    if (!yes) throw new CliFailure('refused', `nothing was deleted: --yes deletes ${words}`);
    const answer = await calls.delete({ id });
    if (!answer.ok) throw new ProblemError(answer.problem);
    const { taskIds } = answer;
    say(this, taskIds.length === 0 ? `deleted ${words}` : `deleting ${words} by task ${taskIds.join(', ')}`);
  },
});
