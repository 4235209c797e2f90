import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { resolveDeployment } from '../../names/resolve.ts';
import { factLines } from '../../output/fact-lines.ts';

interface Flags extends ConnectionFlags {
  env?: string;
}

export const why = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Say why a deployment is as it is',
    fullDescription:
      'Say why a deployment is as it is: what runs, waits, failed or is not ready.\n\n  berth why web -e prod',
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: { kind: 'parsed', parse: String, brief: 'The env of the deployment', optional: true },
    },
    aliases: { e: 'env' },
    positional: { kind: 'tuple', parameters: [{ parse: String, brief: 'name or id', placeholder: 'deployment' }] },
  },
  async func({ env, ...flags }, name) {
    const client = await connect(this, flags);
    const deployment = await resolveDeployment(client, name, env);
    const { facts } = unwrap(await client.deployments.why({ id: deployment.id }));
    for (const line of factLines(facts)) print(this, line);
    if (facts.length === 0) say(this, `nothing is wrong with ${name}, and nothing is under way`);
  },
});
