import { Bug } from '@berth/contracts/errors';
import { ProblemError } from '@berth/client';
import { buildCommand, buildRouteMap, type TypedCommandParameters } from '@stricli/core';
import { namesOf } from '../../arguments/complete-names.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { callsOf } from '../../names/calls-of.ts';
import { kindOf } from '../../names/kind-named.ts';
import { resolve } from '../../names/resolve.ts';
import { type Cli, print } from '../../terminal/cli.ts';
import { createDeployment } from '../deployments/create-deployment.ts';
import { type Creation, creations } from './creations.ts';
import { bodyOf, flagsOf } from './fields.ts';

type Flags = ConnectionFlags & Readonly<Record<string, unknown>>;

const commandOf = ({ resource, brief, example, named, fields }: Creation) =>
  buildCommand<Flags, [string], Cli>({
    docs: { brief, fullDescription: `${brief}.\n\n  ${example}` },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the flags come from a table
    parameters: {
      flags: { ...connectionFlags, ...flagsOf(fields) },
      ...('env' in fields && { aliases: { e: 'env' } }),
      positional: {
        kind: 'tuple',
        parameters: [
          {
            parse: String,
            brief: named.brief,
            placeholder: 'name',
            ...(named.of && { proposeCompletions: namesOf(named.of) }),
          },
        ],
      },
    } as unknown as TypedCommandParameters<Flags, [string], Cli>,
    async func(given, name) {
      const client = await connect(this, given);
      const kind = kindOf(resource);
      const value = named.of ? (await resolve(client, kindOf(named.of), name)).id : name;
      const body = { [named.field]: value, ...(await bodyOf(client, fields, given)) };
      const created = await callsOf(client, kind).create?.({ body });
      if (!created) throw new Bug(`${resource} has no create`);
      if (!created.ok) throw new ProblemError(created.problem);
      print(this, `${kind.names[1] ?? kind.names[0]}/${created.value.id}`);
    },
  });

export const createRoutes = buildRouteMap({
  routes: {
    deployment: createDeployment,
    ...Object.fromEntries(Object.entries(creations).map(([name, creation]) => [name, commandOf(creation)])),
  },
  docs: {
    brief: 'Create an env, deployment, bot, member and so on',
    fullDescription:
      'Create a row and write its id. `berth secret set` stores a secret, `berth token create` creates a token.\n\n  berth create env staging',
  },
});
