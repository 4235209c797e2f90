import { type Client, everyItem, ProblemError, unwrap } from '@berth/client';
import { buildCommand, buildRouteMap } from '@stricli/core';
import { namesOf } from '../../arguments/complete-names.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { durationFlag } from '../../input/duration.ts';
import { callsOf } from '../../names/calls-of.ts';
import { kindOf } from '../../names/kind-named.ts';
import type { Kind, Row } from '../../names/kinds.ts';
import { plainName, resolve } from '../../names/resolve.ts';
import { type Format, outputFlag } from '../../output/formats.ts';
import { printRows } from '../../output/print-rows.ts';
import { tokenId } from './token-id.ts';

interface OfBot extends ConnectionFlags {
  bot?: string;
}

const flagsOfBot = {
  ...connectionFlags,
  bot: {
    kind: 'parsed',
    parse: String,
    brief: 'A bot, instead of yourself',
    optional: true,
    proposeCompletions: namesOf('bots'),
  },
} as const;

/** Tokens of the caller or of a bot. */
interface Tokens {
  kind: Kind & { resource: 'userTokens' | 'botTokens' };
  owner: Readonly<Record<string, string>>;
}

const columns = [
  { title: 'NAME', field: 'name' },
  { title: 'AGE', field: 'created_at' },
  { title: 'EXPIRES', field: 'expires_at' },
  { title: 'LAST USED', field: 'last_used_at' },
  { title: 'ID', field: 'id' },
];

async function tokensOf(client: Client, bot: string | undefined): Promise<Tokens> {
  const kind = { names: ['tokens', 'token'], name: 'name', columns } as const;
  if (bot !== undefined) {
    const { id: bot_id } = await resolve(client, kindOf('bots'), bot);
    return { kind: { ...kind, resource: 'botTokens' }, owner: { bot_id } };
  }
  const identity = unwrap(await client.me.get());
  if (!('User' in identity)) throw new CliFailure('usage', 'only a user has tokens of its own: give --bot');
  return { kind: { ...kind, resource: 'userTokens' }, owner: { user_id: identity.User.id } };
}

async function readTokens(client: Client, { kind, owner }: Tokens): Promise<Row[]> {
  const rows: Row[] = [];
  const { list: page } = callsOf(client, kind);
  for await (const row of everyItem((after) => page({ query: { ...owner, after } }))) rows.push(row);
  return rows;
}

const list = buildCommand<OfBot & { output?: Format }, [], Cli>({
  docs: { brief: 'List your tokens, or those of a bot, without their values' },
  parameters: { flags: { ...flagsOfBot, output: outputFlag }, aliases: { o: 'output' } },
  async func({ bot, output = { kind: 'table' }, ...flags }) {
    const client = await connect(this, flags);
    const tokens = await tokensOf(client, bot);
    const shown = { cli: this, client, kind: tokens.kind, format: output };
    await printRows(shown, await readTokens(client, tokens), false);
  },
});

const create = buildCommand<OfBot & { expires?: number }, [string], Cli>({
  docs: {
    brief: 'Create a token and write its value to standard output, once',
    fullDescription:
      'Create a token and write its value to standard output. It is shown this once.\n\n  berth token create ci --bot deployer --expires 720h > token',
  },
  parameters: {
    flags: {
      ...flagsOfBot,
      expires: durationFlag('How long the token is valid, such as 720h; without it, until it is revoked'),
    },
    positional: { kind: 'tuple', parameters: [{ parse: String, brief: 'name of the token', placeholder: 'name' }] },
  },
  async func({ bot, expires, ...flags }, name) {
    const client = await connect(this, flags);
    const ends = expires === undefined ? {} : { expires_at: new Date(Date.now() + expires).toISOString() };
    const created =
      bot === undefined
        ? await client.userTokens.create({ body: { user_id: null, name, ...ends } })
        : await client.botTokens.create({
            body: { bot_id: (await resolve(client, kindOf('bots'), bot)).id, name, ...ends },
          });
    const { created_token } = unwrap(created);
    print(this, created_token);
    const id = tokenId(created_token);
    say(this, `created token ${name}${id === null ? '' : ` (${id})`}; its value is not shown again`);
  },
});

const revoke = buildCommand<OfBot, [string], Cli>({
  docs: {
    brief: 'Revoke a token: it ends at once',
    fullDescription: 'Revoke a token: its next request is refused.\n\n  berth token revoke ci --bot deployer',
  },
  parameters: {
    flags: flagsOfBot,
    positional: { kind: 'tuple', parameters: [{ parse: String, brief: 'name or id', placeholder: 'token' }] },
  },
  async func({ bot, ...flags }, wanted) {
    const client = await connect(this, flags);
    const tokens = await tokensOf(client, bot);
    const { id } = onlyOne(await readTokens(client, tokens), plainName(tokens.kind, wanted));
    const answer = await callsOf(client, tokens.kind).delete?.({ id });
    if (answer && !answer.ok) throw new ProblemError(answer.problem);
    say(this, `revoked token ${wanted} (${id})`);
  },
});

/** Names of tokens are not unique. */
function onlyOne(tokens: readonly Row[], wanted: string): Row {
  const found = tokens.filter(({ id, name }) => id === wanted || name === wanted);
  const [one] = found;
  if (!one) throw new CliFailure('refused', `there is no token ${wanted}`);
  if (found.length === 1) return one;
  const candidates = found.map(({ id, created_at }) => `\n  ${id} of ${String(created_at)}`).join('');
  throw new CliFailure('usage', `${found.length} tokens are named ${wanted}: give the id of one${candidates}`);
}

export const tokenRoutes = buildRouteMap({
  routes: { list, create, revoke },
  docs: {
    brief: 'Create, list and revoke tokens: your own, or those of bots for pipelines',
    fullDescription: [
      'Create, list and revoke tokens: your own, or with --bot those of a bot, for pipelines.',
      '',
      '  berth create bot deployer',
      '  berth token create ci --bot deployer > token',
    ].join('\n'),
  },
});
