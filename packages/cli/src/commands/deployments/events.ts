import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { deploymentArgument } from '../../arguments/positional.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import type { Kind } from '../../names/kinds.ts';
import { resolveDeployment } from '../../names/resolve.ts';
import { type Format, outputFlag } from '../../output/formats.ts';
import { printRows } from '../../output/print-rows.ts';

interface Flags extends ConnectionFlags {
  env?: string;
  output?: Format;
}

/** Events have no list of their own: they are read live, through their deployment. */
const kind: Kind = {
  resource: 'deployments',
  names: ['events', 'event'],
  columns: [
    { title: 'AGE', field: 'last_seen_at' },
    { title: 'TYPE', field: 'type' },
    { title: 'REASON', field: 'reason' },
    { title: 'OBJECT', field: 'on' },
    { title: 'COUNT', field: 'count', wide: true },
    { title: 'SOURCE', field: 'source', wide: true },
    { title: 'MESSAGE', field: 'message' },
  ],
};

export const events = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Show what Kubernetes reports about a deployment, newest first',
    fullDescription:
      'Show the newest 100 events that Kubernetes reports about the objects of a deployment, newest first.\n\n  berth events web -e prod',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      output: outputFlag,
    },
    aliases: { e: 'env', o: 'output' },
    positional: { kind: 'tuple', parameters: [deploymentArgument] },
  },
  async func({ env, output = { kind: 'table' }, ...flags }, name) {
    const client = await connect(this, flags);
    const { id } = await resolveDeployment(client, name, env);
    const { items, incomplete } = unwrap(await client.deployments.k8s_events({ id, query: { per_page: 100 } }));
    const rows = items.map(({ uid, object, ...event }) => ({
      id: uid,
      ...event,
      object,
      on: `${object.kind}/${object.name}`,
    }));
    await printRows({ cli: this, client, kind, format: output }, rows, false);
    if (incomplete) say(this, 'the namespace has more events than were read; the newest may be missing');
  },
});
