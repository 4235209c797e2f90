import { Bug } from '@berth/contracts/errors';
import { ProblemError } from '@berth/client';
import { buildCommand, buildRouteMap, type TypedCommandParameters } from '@stricli/core';
import { namesOf } from '../../arguments/complete-names.ts';
import { envFlag } from '../../arguments/env-flag.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { callsOf } from '../../names/calls-of.ts';
import { kindOf } from '../../names/kind-named.ts';
import { envScope, resolve } from '../../names/resolve.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { bodyOf, flagsOf } from './fields.ts';
import { type Update, updates } from './updates.ts';

type Flags = ConnectionFlags & Readonly<Record<string, unknown>> & { env?: string };

const commandOf = ({ resource, brief, example, fields }: Update) => {
  const kind = kindOf(resource);
  return buildCommand<Flags, [string], Cli>({
    docs: { brief, fullDescription: `${brief}.\n\n  ${example}` },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the flags come from a table
    parameters: {
      flags: {
        ...connectionFlags,
        ...(kind.inEnv && { env: envFlag('The env in which the name is looked for') }),
        ...flagsOf(fields),
      },
      ...(kind.inEnv && { aliases: { e: 'env' } }),
      positional: {
        kind: 'tuple',
        parameters: [
          {
            parse: String,
            brief: 'name or id',
            placeholder: kind.names[1] ?? kind.names[0],
            proposeCompletions: namesOf(kind.namedBy?.of ?? resource),
          },
        ],
      },
    } as unknown as TypedCommandParameters<Flags, [string], Cli>,
    async func({ env, ...given }, name) {
      const client = await connect(this, given);
      const body = await bodyOf(client, fields, given);
      const known = Object.keys(fields).map(
        (flag) => `--${flag.replaceAll(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`,
      );
      if (Object.keys(body).length === 0)
        throw new CliFailure('usage', `nothing to change: give one of ${known.join(', ')}`);
      const { id } = await resolve(client, kind, name, await envScope(client, env));
      const changed = await callsOf(client, kind).update?.({ id, body });
      if (!changed) throw new Bug(`${resource} has no update`);
      if (!changed.ok) throw new ProblemError(changed.problem);
      for (const task of changed.taskIds) print(this, `task/${task}`);
      say(
        this,
        `changed ${kind.names[1] ?? kind.names[0]} ${name}${changed.taskCount > 0 ? `; tasks: ${changed.taskCount}` : ''}`,
      );
    },
  });
};

export const setRoutes = buildRouteMap({
  routes: Object.fromEntries(Object.entries(updates).map(([name, update]) => [name, commandOf(update)])),
  docs: {
    brief: 'Change a deployment (not its inputs), env, cluster, user, member and so on',
    fullDescription:
      'Change fields of a row; those that you do not give stay. `berth deploy` changes the chart and the inputs of a deployment.\n\n  berth set deployment web -e prod --no-enabled\n  berth set env prod --add-users',
  },
});
