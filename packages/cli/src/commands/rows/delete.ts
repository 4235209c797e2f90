import { ProblemError } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { rowsArgument } from '../../arguments/positional.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { callsOf } from '../../names/calls-of.ts';
import { kindWithNames } from '../../names/kind-named.ts';
import { plainName, resolve, scopeOfKind } from '../../names/resolve.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  yes?: boolean;
}

export const deleteCommand = buildCommand<Flags, string[], Cli>({
  docs: {
    brief: 'Delete rows; a deployment is uninstalled first',
    fullDescription: [
      'Delete rows. A deployment is uninstalled first, by a task that `berth wait` follows. An env must be empty: delete its deployments and secrets, and give its clusters to another env, before you delete it.',
      '',
      '  berth delete deployment web -e prod --yes',
      '  berth delete $(berth get deployments -e prod -o name) -e prod --yes',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env in which the name is looked for'),
      yes: {
        kind: 'boolean',
        brief: 'Delete; without it the command only shows what it would delete',
        optional: true,
        withNegated: false,
      },
    },
    aliases: { e: 'env' },
    positional: rowsArgument,
  },
  async func({ env, yes, ...flags }, ...given) {
    const { kind, names } = kindWithNames(given);
    const client = await connect(this, flags);
    const calls = callsOf(client, kind);
    if (!calls.delete) throw new CliFailure('usage', `${kind.names[0]} cannot be deleted`);
    const scope = await scopeOfKind(client, kind, env);
    // All names are looked up first: a misspelt one deletes nothing.
    const rows: { id: string; words: string }[] = [];
    for (const name of names) {
      const { id } = await resolve(client, kind, name, scope);
      rows.push({ id, words: `${kind.names[1]} ${plainName(kind, name)} (${id})` });
    }
    if (!yes)
      throw new CliFailure(
        'refused',
        `nothing was deleted: --yes deletes ${rows.map(({ words }) => words).join(', ')}`,
      );
    for (const { id, words } of rows) {
      const answer = await calls.delete({ id });
      if (!answer.ok) throw new ProblemError(answer.problem);
      const { taskIds } = answer;
      say(this, taskIds.length === 0 ? `deleted ${words}` : `deleting ${words} by task ${taskIds.join(', ')}`);
    }
  },
});
