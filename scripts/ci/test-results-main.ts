// Reads the reports of `.ci/run` in a folder: `<name>.json`, and `<name>-repeated.json` of a second attempt.
//   test-results-main.ts to-repeat <folder> <name> <exit code>   prints the files to run once more, one per line
//   test-results-main.ts sum <folder> [<name> <exit code> <exit code of the second attempt, or ->]…   prints what failed, and the sum
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Failure, filesToRepeat, onlyFirst, type Run, resultsOf, withRepeated } from './test-results.ts';

const [command, folder = '.', ...args] = process.argv.slice(2);

function runOf(name: string, exitCode: string): Run {
  const file = join(folder, `${name}.json`);
  const report: Run['report'] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  for (const result of report?.testResults ?? []) result.name = `./${relative(process.cwd(), result.name)}`;
  return { name, exitCode: Number(exitCode), report };
}

function print(words: string, failures: Failure[]): void {
  for (const { test, reason } of failures) console.log(`${words}: ${test}: ${reason}`);
}

if (command === 'to-repeat') {
  const [name = '', exitCode = ''] = args;
  for (const file of filesToRepeat(runOf(name, exitCode))) console.log(file);
} else {
  let passed = 0;
  let failed = 0;
  for (let at = 0; at < args.length; at += 3) {
    const [name = '', exitCode = '', second = '-'] = args.slice(at, at + 3);
    const first = runOf(name, exitCode);
    const whole = second === '-' ? first : withRepeated(first, runOf(`${name}-repeated`, second));
    const results = resultsOf(whole);
    print('passed at the second attempt only', onlyFirst(resultsOf(first), results));
    print('failed', results.failures);
    passed += results.passed;
    failed += results.failures.length;
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
