import type { StepResult } from '../../sets/apply/apply-set.ts';
import { failureText } from '../../failure/failure-text.ts';
import { harmless } from '../../text/harmless.ts';
import { table } from '../../output/table.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';

/** Reports each row as soon as it is done. A failure is shown whole here; the table has only its first line. */
export function sayResult(cli: Cli, { step, outcome, error }: StepResult): void {
  if (outcome === 'not done' || outcome === 'blocked') return;
  if (error === null) return say(cli, harmless(`${outcome} ${step.key}`));
  const [first = '', ...others] = failureText(error).split('\n');
  for (const line of [first.replace(/^berth: /, `${step.key}: `), ...others]) say(cli, harmless(line));
}

/** A line for each row that was not as it should be, and the sum. Fails as the first row that failed. */
export function reportResults(cli: Cli, results: readonly StepResult[]): void {
  const rows = results.map(({ step, outcome, error, taskIds }) => [outcome, step.key, detailOf(error, taskIds)]);
  for (const line of table([['RESULT', 'ROW', 'DETAIL'], ...rows])) print(cli, line);
  const counts = Map.groupBy(results, ({ outcome }) => outcome);
  say(cli, [...counts].map(([outcome, found]) => `${found.length} ${outcome}`).join(', '));
  const failed = results.find(({ error }) => error !== null);
  if (failed) throw failed.error;
}

const detailOf = (error: unknown, taskIds: readonly string[]): string =>
  error === null
    ? taskIds.map((id) => `task/${id}`).join(' ')
    : (failureText(error).split('\n')[0] ?? '').replace('berth: ', '');
