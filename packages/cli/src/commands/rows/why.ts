import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { deploymentArgument } from '../../arguments/positional.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { resolveDeployment } from '../../names/resolve.ts';
import { showFacts } from '../../output/show-facts.ts';

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
      env: envFlag('The env of the deployment'),
    },
    aliases: { e: 'env' },
    positional: { kind: 'tuple', parameters: [deploymentArgument] },
  },
  async func({ env, ...flags }, name) {
    const client = await connect(this, flags);
    const deployment = await resolveDeployment(client, name, env);
    const { facts } = unwrap(await client.deployments.why({ id: deployment.id }));
    showFacts(this, facts);
    if (facts.length === 0) say(this, `nothing is wrong with ${name}, and nothing is under way`);
  },
});
