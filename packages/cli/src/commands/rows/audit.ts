import { unwrap } from '@berth/client';
import { buildCommand, numberParser } from '@stricli/core';
import { namesOf } from '../../arguments/complete-names.ts';
import { envFlag } from '../../arguments/env-flag.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { durationFlag } from '../../input/duration.ts';
import { kindOf } from '../../names/kind-named.ts';
import type { Row } from '../../names/kinds.ts';
import { envScope, resolve } from '../../names/resolve.ts';
import { type Format, outputFlag } from '../../output/formats.ts';
import { printRows } from '../../output/print-rows.ts';
import type { Cli } from '../../terminal/cli.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  user?: string;
  bot?: string;
  operation?: string;
  denied?: boolean;
  since?: number;
  limit?: number;
  output?: Format;
}

export const audit = buildCommand<Flags, [], Cli>({
  docs: {
    brief: 'Show who changed what, and who was refused, newest first',
    fullDescription: [
      'Show who changed what, and who was refused, newest first. Site admins see all of it, env admins what concerns their envs.',
      '',
      '  berth audit -e prod --since 24h',
      '  berth audit --denied --limit 20 -o json',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('Only in this env'),
      user: {
        kind: 'parsed',
        parse: String,
        brief: 'Only by this user',
        optional: true,
        proposeCompletions: namesOf('users'),
      },
      bot: {
        kind: 'parsed',
        parse: String,
        brief: 'Only by this bot',
        optional: true,
        proposeCompletions: namesOf('bots'),
      },
      operation: { kind: 'parsed', parse: String, brief: 'Such as create, update or delete', optional: true },
      denied: { kind: 'boolean', brief: 'Only what was refused', optional: true, withNegated: false },
      since: durationFlag('Only from the last 24h, for example'),
      limit: { kind: 'parsed', parse: numberParser, brief: 'Show at most this many; 50 unless given', optional: true },
      output: outputFlag,
    },
    aliases: { e: 'env', o: 'output' },
  },
  async func({ env, user, bot, operation, denied, since, limit = 50, output = { kind: 'table' }, ...flags }) {
    if (user !== undefined && bot !== undefined) throw new CliFailure('usage', '--user cannot be combined with --bot');
    if (!Number.isInteger(limit) || limit < 1) throw new CliFailure('usage', '--limit is a whole number from 1');
    const client = await connect(this, flags);
    const actor =
      user !== undefined
        ? await resolve(client, kindOf('users'), user)
        : bot !== undefined
          ? await resolve(client, kindOf('bots'), bot)
          : null;
    const query = {
      ...(await envScope(client, env)),
      ...(actor && { actor_id: actor.id }),
      ...(operation !== undefined && { operation }),
      ...(denied && { result: 'denied' as const }),
      ...(since !== undefined && { from: new Date(Date.now() - since).toISOString() }),
    };
    const rows: Row[] = [];
    let before: string | null | undefined;
    do {
      const per_page = Math.min(100, limit - rows.length);
      const page = unwrap(await client.auditEvents.list({ query: { ...query, per_page, ...(before && { before }) } }));
      rows.push(...page.items);
      before = page.next;
    } while (before && rows.length < limit);
    await printRows({ cli: this, client, kind: kindOf('auditEvents'), format: output }, rows, false);
  },
});
