import { readFile } from 'node:fs/promises';
import { everyItem, type Problem, unwrap } from '@berth/client';
import { buildCommand, buildRouteMap } from '@stricli/core';
import { requiredEnvFlag } from '../../arguments/env-flag.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { kindOf } from '../../names/kind-named.ts';
import { resolve } from '../../names/resolve.ts';
import { counted } from '../../text/counted.ts';

interface Flags extends ConnectionFlags {
  env: string;
  collection: string;
  fromFile?: string;
}

const set = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Store a secret in an env, or replace its contents',
    fullDescription: [
      'Store a secret in an env, or replace its contents. They come from standard input or a file, never from an argument. Deployments that use the secret are reinstalled. `berth get secrets` lists secrets; nothing shows their contents.',
      '',
      '  berth secret set db-password -e prod --collection web < password',
      '  berth secret set db-password -e prod --collection web --from-file password',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: requiredEnvFlag('The env'),
      collection: { kind: 'parsed', parse: String, brief: 'The collection' },
      fromFile: { kind: 'parsed', parse: String, brief: 'Read the contents from this file', optional: true },
    },
    aliases: { e: 'env' },
    positional: { kind: 'tuple', parameters: [{ parse: String, brief: 'name of the secret', placeholder: 'name' }] },
  },
  async func({ env, collection, fromFile, ...flags }, name) {
    const contents = fromFile === undefined ? await this.readInput() : await readContents(fromFile);
    if (fromFile === undefined && contents === '')
      throw new CliFailure('usage', 'standard input was empty, so nothing was stored: --from-file takes an empty file');
    const client = await connect(this, flags);
    const patience = {
      ms: 30_000,
      onWait: ({ detail }: Problem, ms: number) => say(this, `${detail}; trying again in ${Math.ceil(ms / 1_000)} s`),
    };
    const { id: env_id } = await resolve(client, kindOf('envs'), env);
    const query = { env_id, collection, name };
    for await (const { id, ...secret } of everyItem((after) => client.secrets.list({ query: { ...query, after } }))) {
      // The filters ignore case.
      if (secret.name !== name || secret.collection !== collection) continue;
      // The same contents twice are one change, so an outage in between is waited for.
      const answer = await client.secrets.update({ id, body: { contents } }, { repeat: true, patience });
      unwrap(answer);
      const reinstalls = answer.ok ? answer.taskCount : 0;
      return say(this, `replaced secret ${collection}/${name}; ${counted(reinstalls, 'deployment')} to reinstall`);
    }
    unwrap(await client.secrets.create({ body: { ...query, contents } }, { patience }));
    say(this, `stored secret ${collection}/${name}`);
  },
});

const readContents = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliFailure('usage', `${file} cannot be read`, { cause });
  });

export const secretRoutes = buildRouteMap({
  routes: { set },
  docs: { brief: 'Store secrets of an env, or replace their contents' },
});
