import { everyItem } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { deploymentArgument } from '../../arguments/positional.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { callsOf } from '../../names/calls-of.ts';
import { kindOf } from '../../names/kind-named.ts';
import type { Row } from '../../names/kinds.ts';
import { envScope, resolveDeployment } from '../../names/resolve.ts';
import { type Format, outputFlag } from '../../output/formats.ts';
import { printRows } from '../../output/print-rows.ts';
import type { Cli } from '../../terminal/cli.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  active?: boolean;
  output?: Format;
}

const most = 50;

export const tasks = buildCommand<Flags, [string?], Cli>({
  docs: {
    brief: 'List the newest tasks of a deployment, an env or the platform',
    fullDescription: `List the newest ${most} tasks of a deployment, an env or the platform.\n\n  berth tasks web -e prod\n  berth tasks -e prod --active`,
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('Only of this env'),
      active: { kind: 'boolean', brief: 'Only those that have not ended', optional: true, withNegated: false },
      output: outputFlag,
    },
    aliases: { e: 'env', o: 'output' },
    positional: { kind: 'tuple', parameters: [{ ...deploymentArgument, optional: true }] },
  },
  async func({ env, active, output = { kind: 'wide' }, ...flags }, name) {
    const client = await connect(this, flags);
    const kind = kindOf('deploymentTasks');
    const scope =
      name === undefined
        ? await envScope(client, env)
        : { deployment_id: (await resolveDeployment(client, name, env)).id };
    const { list } = callsOf(client, kind);
    const query = { ...scope, per_page: most, ...(active && { active_only: true }) };
    const rows: Row[] = [];
    for await (const row of everyItem((after) => list({ query: { ...query, after } }))) {
      if (rows.push(row) === most) break;
    }
    await printRows({ cli: this, client, kind, format: output }, rows, false);
  },
});
