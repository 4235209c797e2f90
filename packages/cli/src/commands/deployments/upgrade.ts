import { ProblemError } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { type InputFlags, inputFlags } from '../../arguments/input-flags.ts';
import { deploymentArgument } from '../../arguments/positional.ts';
import { type WaitFlags, waitFlags } from '../../arguments/wait-flags.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { chartName } from '../../names/find-chart.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { reportTasks } from '../tasks/report-tasks.ts';
import { followPresent } from './follow-present.ts';
import { readChange } from './read-change.ts';

interface Flags extends ConnectionFlags, InputFlags, WaitFlags {
  env?: string;
  chart?: string;
}

export const upgrade = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Bring a deployment to the newest chart of its kind, or to another one',
    fullDescription: [
      'Bring a deployment that is there to the newest chart of its kind, or to another one. Inputs that are not given stay. `berth diff --newest` shows what it would do.',
      '',
      '  berth upgrade web -e prod --wait',
      '  berth upgrade web -e prod --chart HelloWeb@1.2.0 --set replicas=3',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      chart: { kind: 'parsed', parse: chartName, brief: 'KIND@VERSION or KIND@sha256:DIGEST', optional: true },
      ...inputFlags,
      ...waitFlags,
    },
    aliases: { e: 'env', f: 'file' },
    positional: { kind: 'tuple', parameters: [deploymentArgument] },
  },
  async func({ wait, timeout, ...flags }, name) {
    const client = await connect(this, flags);
    const { present, etag, change } = await readChange(client, { ...flags, takesNewest: true }, name);
    if (Object.keys(change).length === 0) {
      say(this, `${name} has this chart and these inputs already`);
      const wanted = { chartId: present.helm_chart_id, config: present.config };
      if (wait) await followPresent({ cli: this, client, present, wanted, withinMs: timeout });
      return;
    }
    const changed = await client.deployments.update(
      { id: present.id, body: change },
      { ...(etag && { ifMatch: etag }) },
    );
    if (!changed.ok) throw new ProblemError(changed.problem);
    await reportTasks({ cli: this, client, queued: changed, wait, timeout });
  },
});
