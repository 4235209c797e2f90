import { buildCommand, buildRouteMap } from '@stricli/core';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { readContexts, writeContexts } from '../../connection/contexts.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { table } from '../../output/table.ts';

const list = buildCommand<object, [], Cli>({
  docs: { brief: 'List the contexts; the current one has an asterisk' },
  parameters: { flags: {} },
  async func() {
    const { current, contexts } = await readContexts(this);
    const rows = Object.entries(contexts).map(([name, { url }]) => [name === current ? '*' : '', name, url]);
    for (const line of table([['', 'NAME', 'URL'], ...rows])) print(this, line);
  },
});

const name = {
  kind: 'tuple',
  parameters: [{ parse: String, brief: 'name of a context', placeholder: 'name' }],
} as const;

const use = buildCommand<object, [string], Cli>({
  docs: { brief: 'Make another context the current one' },
  parameters: { flags: {}, positional: name },
  async func(_, chosen) {
    const known = await readContexts(this);
    if (!Object.hasOwn(known.contexts, chosen)) throw unknown(chosen, known.contexts);
    await writeContexts(this, { ...known, current: chosen });
    say(this, `the context is ${chosen}`);
  },
});

const remove = buildCommand<object, [string], Cli>({
  docs: { brief: 'Forget a context and its token; the token stays valid' },
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

export const contextRoutes = buildRouteMap({
  routes: { list, use, delete: remove },
  docs: { brief: 'The platforms that you have signed in to' },
});
