import { buildCommand } from '@stricli/core';
import { connectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { durationFlag } from '../../input/duration.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { doPlan } from './do-plan.ts';
import { type PlanFlags, planOf, scopeFlags } from './plan-flags.ts';

interface Flags extends PlanFlags {
  own?: boolean;
  confirmPrune?: string;
  plan?: boolean;
  yes?: boolean;
  wait?: boolean;
  timeout?: number;
  patience?: number;
}

export const applyCommand = buildCommand<Flags, [], Cli>({
  docs: {
    brief: 'Create and change rows until they are as a folder of documents says',
    fullDescription: [
      'Bring the platform to what a folder of YAML documents says: envs, clusters, members, roles, bots, secrets, deployments and resources. Shows all that would be done and asks; without a terminal it needs --yes. A step that fails holds up only those that need it, and the same command again does the rest.',
      'What the set creates is remembered in berth-set.json beside the documents. --prune deletes such rows that no longer have a document, once the name of the set was typed, or given by --confirm-prune.',
      'The JSON schema of the documents, for editors, is set.schema.json in the folder of the installed package, such as $(npm root --global)/@berth/cli/set.schema.json; `berth export` writes documents to begin with.',
      '',
      '  berth apply -f envs/prod',
      '  berth apply -f envs/prod --yes --wait',
      '  berth apply -f envs/prod --prune --yes --confirm-prune prod',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      from: { kind: 'parsed', parse: String, brief: 'The folder of the set' },
      ...scopeFlags,
      own: {
        kind: 'boolean',
        brief: 'Rows that were there before belong to the set too, so that --prune may delete them',
        optional: true,
        withNegated: false,
      },
      confirmPrune: { kind: 'parsed', parse: String, brief: 'Name of the set: confirms --prune', optional: true },
      plan: { kind: 'boolean', brief: 'Show what would be done, and do nothing', optional: true, withNegated: false },
      yes: { kind: 'boolean', brief: 'Apply without asking', optional: true, withNegated: false },
      wait: { kind: 'boolean', brief: 'Wait until the tasks have ended', optional: true, withNegated: false },
      timeout: durationFlag('How long to wait for tasks at most; 10m unless given'),
      patience: durationFlag('How long to wait for a platform that is away, in all; 1m unless given'),
    },
    aliases: { f: 'from' },
  },
  async func(flags) {
    const read = await planOf(this, flags);
    const { steps, forgotten } = read.plan;
    const { differs, planLines } = await import('../../sets/plan/set-lines.ts');
    const lines = planLines(read.plan, this);
    const isIdle = !steps.some(differs) && forgotten.length === 0 && !flags.own;
    if (isIdle) return say(this, `nothing to do: ${lines.at(-1) ?? ''}`);
    for (const line of lines) (flags.plan ? print : say)(this, line);
    if (flags.plan) return;
    await confirm(this, flags, {
      name: read.record.name,
      deletes: steps.filter(({ action }) => action === 'delete').length,
    });
    await doPlan(this, read, {
      folder: flags.from,
      own: false,
      wait: false,
      timeout: 600_000,
      patience: 60_000,
      ...flags,
    });
  },
});

/** Deletions are confirmed by the name of the set, everything else by yes. */
async function confirm(
  cli: Cli,
  { yes, confirmPrune }: Pick<Flags, 'yes' | 'confirmPrune'>,
  { name, deletes }: { name: string; deletes: number },
): Promise<void> {
  const refuse = (words: string) => new CliFailure('refused', `nothing was done: ${words}`);
  if (confirmPrune !== undefined && confirmPrune !== name)
    throw refuse(`the set is ${name}, and --confirm-prune names ${confirmPrune}`);
  if (deletes > 0 && confirmPrune === undefined) {
    const typed = await cli.ask(`Type the name of the set, ${name}, to delete ${deletes} rows: `);
    if (typed === null) throw refuse(`--confirm-prune ${name} is needed to delete ${deletes} rows without a terminal`);
    if (typed.trim() !== name) throw refuse('another name was typed');
    return;
  }
  if (yes) return;
  const answer = await cli.ask('Apply this? [y/N] ');
  if (answer === null) throw refuse('there is no terminal to ask on; --yes applies the plan');
  if (!/^y(es)?$/i.test(answer.trim())) throw refuse('the plan was declined');
}
