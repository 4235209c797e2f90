import { type Cli, paint, print } from '../terminal/cli.ts';
import type { Style } from '../terminal/style.ts';
import type { DeploymentPlan } from './plan.ts';
import { planLines } from './plan-lines.ts';

const styles: Readonly<Record<string, Style>> = { '+': 'good', '~': 'busy', '-': 'bad', '!': 'bad' };

export function showPlan(cli: Cli, plan: DeploymentPlan): void {
  for (const line of planLines(plan)) print(cli, paint(cli, styles[line.charAt(0)] ?? null, line));
}
