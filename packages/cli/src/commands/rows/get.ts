import { everyItem } from '@berth/client';
import { buildCommand } from '@stricli/core';
import type { Cli } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { callsOf } from '../../names/calls-of.ts';
import { kindNamed } from '../../names/kind-named.ts';
import type { Row } from '../../names/kinds.ts';
import { envScope, resolve } from '../../names/resolve.ts';
import { type Format, outputFlag } from '../../output/formats.ts';
import { printRows } from '../../output/print-rows.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  output?: Format;
  filter?: readonly string[];
}

export const get = buildCommand<Flags, string[], Cli>({
  docs: {
    brief: 'List rows, or show some by name or id',
    fullDescription:
      'List rows, or show some by name or id.\n\n  berth get deployments -e prod\n  berth get deployment web -e prod -o yaml\n  berth get tasks --filter status=Failed -o name',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: { kind: 'parsed', parse: String, brief: 'Only of this env', optional: true },
      output: outputFlag,
      filter: {
        kind: 'parsed',
        parse: String,
        brief: 'A filter of the API, such as status=Running; may be repeated',
        variadic: true,
        optional: true,
      },
    },
    aliases: { e: 'env', o: 'output' },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { parse: String, brief: 'kind, then names', placeholder: 'kind' },
    },
  },
  async func({ env, output = { kind: 'table' }, filter = [], ...flags }, ...given) {
    const [kindName = '', ...names] = given;
    const kind = kindNamed(kindName);
    const filters = Object.fromEntries(filter.map(readFilter));
    const client = await connect(this, flags);
    if (env !== undefined && !kind.inEnv) throw new CliFailure('usage', `${kind.names[0]} belong to no env`);
    const scope = { ...filters, ...(await envScope(client, env)) };
    const rows: Row[] = [];
    if (names.length > 0) {
      for (const name of names) rows.push(await resolve(client, kind, name, scope));
    } else {
      const { list } = callsOf(client, kind);
      for await (const row of everyItem((after) => list({ query: { ...scope, after, per_page: 100 } }))) rows.push(row);
    }
    await printRows({ cli: this, client, kind, format: output }, rows, names.length === 1);
  },
});

function readFilter(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliFailure('usage', `a filter is name=value, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}
