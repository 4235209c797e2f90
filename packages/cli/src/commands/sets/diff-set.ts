import { CliFailure } from '../../failure/cli-failure.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';
import { type PlanFlags, planOf } from './plan-flags.ts';

/** Shows what `apply` would do. Fails if there is anything to do. */
export async function diffSet(cli: Cli, flags: PlanFlags): Promise<void> {
  const { plan } = await planOf(cli, flags);
  const { differs, planLines } = await import('../../sets/plan/set-lines.ts');
  const lines = planLines(plan, cli);
  if (!plan.steps.some(differs)) return say(cli, `nothing to do: ${lines.at(-1) ?? ''}`);
  for (const line of lines) print(cli, line);
  throw new CliFailure('failed', `the platform differs from ${flags.from}`);
}
