import { everyItem } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { completeRows } from '../../arguments/complete-names.ts';
import { envFlag } from '../../arguments/env-flag.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { callsOf } from '../../names/calls-of.ts';
import { kindAndNames } from '../../names/kind-named.ts';
import { kinds, type Row } from '../../names/kinds.ts';
import { filterScope, resolve, scopeOfKind } from '../../names/resolve.ts';
import { type Format, outputFlag } from '../../output/formats.ts';
import { nameOfRow, printRows } from '../../output/print-rows.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { watchRows } from './watch-rows.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  output?: Format;
  filter?: readonly string[];
  watch?: boolean;
}

export const get = buildCommand<Flags, string[], Cli>({
  docs: {
    brief: 'List rows, or show some by name or id',
    fullDescription: [
      'List rows, or show some by name or id.',
      `Kinds: ${kinds.map(({ names: [name] }) => name).join(', ')}.`,
      '',
      '  berth get deployments -e prod',
      '  berth get deployment web -e prod -o yaml',
      '  berth get deployments --filter needs_attention=true -o wide',
      '  berth get charts --filter kind_id=HelloWeb',
      '  berth get tasks --filter status=Failed -o name',
      '  berth get objects --filter deployment_id=web --filter kind=Pod',
      '  berth get deployments -e prod --watch',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('Only of this env'),
      output: outputFlag,
      filter: {
        kind: 'parsed',
        parse: String,
        brief: 'A filter of the list in the API, such as status=Error; may be repeated',
        variadic: true,
        optional: true,
      },
      watch: { kind: 'boolean', brief: 'Then show each row that changes', optional: true, withNegated: false },
    },
    aliases: { e: 'env', o: 'output', w: 'watch' },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: {
        parse: String,
        brief: 'kind, then names; or kind/name',
        placeholder: 'kind',
        proposeCompletions: completeRows,
      },
    },
  },
  async func({ env, output = { kind: 'table' }, filter = [], watch = false, ...flags }, ...given) {
    const { kind, names } = kindAndNames(given);
    const filters = filter.map(readFilter);
    const client = await connect(this, flags);
    const inEnv = await scopeOfKind(client, kind, env);
    const scope = { ...(await filterScope(client, filters, inEnv)), ...inEnv };
    const read = async (): Promise<Row[]> => {
      const rows: Row[] = [];
      if (names.length > 0) {
        for (const name of names) rows.push(await resolve(client, kind, name, scope));
        return rows;
      }
      const { list } = callsOf(client, kind);
      const from = (position: string) =>
        kind.isBackward ? { ...(position && { before: position }) } : { after: position };
      for await (const row of everyItem((position) => list({ query: { ...scope, ...from(position), per_page: 100 } })))
        rows.push(row);
      return rows;
    };
    const shown = { cli: this, client, kind, format: output };
    if (!watch) return printRows(shown, await read(), names.length === 1);

    const { table } = kind;
    if (table === undefined)
      throw new CliFailure('usage', `${kind.names[0]} have no events, so they cannot be watched`);
    let hasTitles = true;
    await watchRows({
      client,
      table,
      read,
      show: async (rows) => {
        if (rows.length > 0) await printRows({ ...shown, hasTitles, isStream: true }, rows, false);
        else if (hasTitles) say(this, `no ${kind.names[0]} yet`);
        hasTitles = hasTitles && rows.length === 0;
      },
      showRemoved: (row) => say(this, `removed: ${kind.names[1] ?? kind.names[0]}/${nameOfRow(kind, row)}`),
      over: this.outputGone,
    });
  },
});

function readFilter(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliFailure('usage', `a filter is name=value, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}
