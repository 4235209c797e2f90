import { buildCommand, buildRouteMap } from '@stricli/core';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { completeContexts } from '../../connection/connect.ts';
import { readContexts, writeContexts } from '../../connection/contexts.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { showTable } from '../../output/show-table.ts';

const list = buildCommand<object, [], Cli>({
  docs: { brief: 'List the contexts; the current one has an asterisk' },
  parameters: { flags: {} },
  async func() {
    const { current, contexts } = await readContexts(this);
    const rows = Object.entries(contexts).map(([name, { url }]) => [name === current ? '*' : '', name, url]);
    showTable(this, [['', 'NAME', 'URL'], ...rows]);
  },
});

const contextName = {
  parse: String,
  brief: 'name of a context',
  placeholder: 'name',
  proposeCompletions: completeContexts,
} as const;
const name = { kind: 'tuple', parameters: [contextName] } as const;

const use = buildCommand<object, [string], Cli>({
  docs: { brief: 'Switch to another context' },
  parameters: { flags: {}, positional: name },
  async func(_, chosen) {
    const known = await readContexts(this);
    if (!Object.hasOwn(known.contexts, chosen)) throw unknown(chosen, known.contexts);
    await writeContexts(this, { ...known, current: chosen });
    say(this, `the context is ${chosen}`);
  },
});

const remove = buildCommand<object, [string], Cli>({
  docs: {
    brief: 'Sign out: forget a context and its token, which stays valid until it is revoked or expires',
  },
  parameters: { flags: {}, positional: name },
  async func(_, chosen) {
    const { current, contexts } = await readContexts(this);
    if (!Object.hasOwn(contexts, chosen)) throw unknown(chosen, contexts);
    const { [chosen]: _forgotten, ...others } = contexts;
    await writeContexts(this, { current: current === chosen ? null : current, contexts: others });
    say(this, `forgot ${chosen}; revoke its token where you made it`);
  },
});

const unknown = (chosen: string, contexts: object): CliFailure =>
  new CliFailure(
    'refused',
    `there is no context ${chosen}; known are: ${Object.keys(contexts).join(', ') || '(none)'}`,
  );

const current = buildCommand<object, [], Cli>({
  docs: { brief: 'Write the name of the current context' },
  parameters: { flags: {} },
  async func() {
    const { current: chosen } = await readContexts(this);
    if (chosen === null) throw new CliFailure('refused', 'there is no current context: berth login URL');
    print(this, chosen);
  },
});

const rename = buildCommand<object, [string, string], Cli>({
  docs: { brief: 'Give a context another name' },
  parameters: {
    flags: {},
    positional: {
      kind: 'tuple',
      parameters: [contextName, { ...contextName, brief: 'the new name', proposeCompletions: () => [] }],
    },
  },
  async func(_, from, to) {
    const { current: chosen, contexts } = await readContexts(this);
    const { [from]: renamed, ...others } = contexts;
    if (!renamed) throw unknown(from, contexts);
    if (Object.hasOwn(others, to)) throw new CliFailure('refused', `there is a context ${to} already`);
    await writeContexts(this, { current: chosen === from ? to : chosen, contexts: { ...others, [to]: renamed } });
    say(this, `${from} is ${to} now`);
  },
});

export const contextRoutes = buildRouteMap({
  routes: { list, current, use, rename, delete: remove },
  docs: {
    brief: 'Switch between the platforms that you have signed in to',
    fullDescription: [
      'A context is a platform with your sign-in there: `berth login URL` adds one. Commands ask the platform of the current context, or of --context NAME; BERTH_URL and BERTH_TOKEN win over the current one. `berth whoami` says which platform it is, and as whom you are signed in.',
      '',
      '  berth context list',
      '  berth context use berth.example.com',
    ].join('\n'),
  },
});
