import { buildCommand } from '@stricli/core';
import { connectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { type PlanFlags, planFlags, readPlan } from './read-plan.ts';

export const diff = buildCommand<PlanFlags, [], Cli>({
  docs: {
    brief: 'Compare the platform with a folder of documents',
    fullDescription: [
      'Compare the platform with a folder of documents, as `berth apply` would. Nothing is changed. The exit code is 0 if there is nothing to do, and 1 if there is something.',
      '',
      '  berth diff -f envs/prod',
      '  berth diff -f envs/prod --prune',
    ].join('\n'),
  },
  parameters: { flags: { ...connectionFlags, ...planFlags }, aliases: { f: 'from' } },
  func(flags) {
    return diffSet(this, flags);
  },
});

export async function diffSet(cli: Cli, flags: PlanFlags): Promise<void> {
  const { plan } = await readPlan(cli, flags);
  const { differs, planLines } = await import('../../sets/plan/set-lines.ts');
  const lines = planLines(plan);
  if (!plan.steps.some(differs)) return say(cli, `nothing to do: ${lines.at(-1) ?? ''}`);
  for (const line of lines) print(cli, line);
  throw new CliFailure('failed', `the platform differs from ${flags.from}`);
}
