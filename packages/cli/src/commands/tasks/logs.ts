import { followLog, unwrap } from '@berth/client';
import { buildCommand, numberParser } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { taskArgument } from '../../arguments/positional.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { durationFlag } from '../../input/duration.ts';
import { resolveDeployment } from '../../names/resolve.ts';
import { taskOf } from '../../names/task-of.ts';
import { harmless } from '../../text/harmless.ts';
import { type Cli, print } from '../../terminal/cli.ts';
import { type PodLogs, showPodLogs } from './pod-logs.ts';

interface Flags extends ConnectionFlags, Partial<PodLogs> {
  env?: string;
}

export const logs = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Show the log of a task, or of the pods of a deployment',
    fullDescription: [
      'Show the log of a task, or of the newest task of a deployment. --pod shows what the pods of the deployment write instead: all of them, or the one that you name. -f follows either log.',
      '',
      '  berth logs web -e prod',
      '  berth logs web -e prod --pod --tail 20',
      '  berth logs web -e prod --pod helloweb-web-7d9f --container sidecar -f',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      follow: {
        kind: 'boolean',
        brief: 'Follow the log until the task or the pod ends',
        optional: true,
        withNegated: false,
      },
      pod: {
        kind: 'parsed',
        parse: String,
        brief: 'Logs of pods: of the one with this name, or of all',
        optional: true,
        inferEmpty: true,
      },
      container: { kind: 'parsed', parse: String, brief: 'The container, if the pod has several', optional: true },
      previous: {
        kind: 'boolean',
        brief: 'The log from before the last restart of the container',
        optional: true,
        withNegated: false,
      },
      tail: {
        kind: 'parsed',
        parse: numberParser,
        brief: 'Only the last lines of each pod, this many',
        optional: true,
      },
      since: durationFlag('Only lines of pods from the last 10m, for example'),
    },
    aliases: { e: 'env', f: 'follow', c: 'container', p: 'previous' },
    positional: { kind: 'tuple', parameters: [taskArgument] },
  },
  async func({ env, follow, pod, container, previous, tail, since, ...flags }, name) {
    if (pod === undefined && (container ?? previous ?? tail ?? since) !== undefined)
      throw new CliFailure('usage', '--container, --previous, --tail and --since are for logs of pods: add --pod');
    const client = await connect(this, flags);
    if (pod !== undefined) {
      const { id } = await resolveDeployment(client, name, env);
      return showPodLogs(this, client, id, { pod, container, follow, previous, tail, since });
    }
    const { id } = await taskOf(client, name, env);
    const lines = follow ? followLog(client, id) : unwrap(await client.deploymentTasks.log({ id })).lines();
    for await (const line of lines) {
      if (!this.isOutputRead()) break;
      print(this, this.terminals.output ? harmless(line) : line);
    }
  },
});
