import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { envFlag } from '../../arguments/env-flag.ts';
import { type InputFlags, inputFlags } from '../../arguments/input-flags.ts';
import { deploymentArgument } from '../../arguments/positional.ts';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { showPlan } from '../../output/show-plan.ts';
import { chartName } from '../../names/find-chart.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { diffSet } from '../sets/diff-set.ts';
import { type PlanFlags, scopeFlags } from '../sets/plan-flags.ts';
import { readChange } from './read-change.ts';

interface Flags extends ConnectionFlags, InputFlags, Omit<PlanFlags, 'from'> {
  env?: string;
  chart?: string;
  newest?: boolean;
}

export const diff = buildCommand<Flags, [string?], Cli>({
  docs: {
    brief: 'Show what a change of a deployment, or a folder of documents, would do',
    fullDescription: [
      'Show what a change of a deployment would do to its objects, or what `berth apply` would do for a folder of documents, without doing it. The exit code is 0 if nothing would change and 1 if something would.',
      '',
      '  berth diff web -e prod --set replicas=5',
      '  berth diff web -e prod --newest',
      '  berth diff -f envs/prod',
      '  berth diff -f envs/prod --prune',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: envFlag('The env of the deployment'),
      chart: { kind: 'parsed', parse: chartName, brief: 'KIND@VERSION or KIND@sha256:DIGEST', optional: true },
      newest: { kind: 'boolean', brief: 'The newest chart, as upgrade takes it', optional: true, withNegated: false },
      ...inputFlags,
      file: { ...inputFlags.file, brief: 'Inputs in YAML or JSON; may be repeated. Without a deployment: the folder' },
      ...scopeFlags,
    },
    aliases: { e: 'env', f: 'file' },
    positional: { kind: 'tuple', parameters: [{ ...deploymentArgument, optional: true }] },
  },
  async func({ newest = false, ...flags }, name) {
    if (name === undefined) return diffSet(this, { ...flags, from: folderIn(flags) });
    const client = await connect(this, flags);
    const { present, change } = await readChange(client, { ...flags, takesNewest: newest }, name);
    if (Object.keys(change).length === 0) return say(this, `nothing of ${name} would change`);
    showPlan(this, unwrap(await client.deploymentPlans.of_update({ id: present.id, body: change })));
    throw new CliFailure('failed', `${name} would change`);
  },
});

function folderIn({ file: [folder, ...others] = [] }: InputFlags): string {
  if (folder === undefined || others.length > 0)
    throw new CliFailure('usage', 'name a deployment, or one folder with -f');
  return folder;
}
