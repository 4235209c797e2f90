import { expect, test } from 'vitest';
import { filesToRepeat, onlyFirst, type Report, type Run, resultsOf, withRepeated } from './test-results.ts';

type File = Report['testResults'][number];

/** A file with tests named `ok …` if they passed, else by the cause of the failure. */
function file(name: string, ...tests: string[]): File {
  const assertionResults = tests.map((fullName) => {
    const passed = fullName.startsWith('ok');
    return { fullName, status: passed ? 'passed' : 'failed', failureMessages: passed ? [] : [`${fullName}\n  at x`] };
  });
  const status = assertionResults.every((result) => result.status === 'passed') ? 'passed' : 'failed';
  return { name, status, message: '', assertionResults };
}

const unloaded: File = {
  name: './d.test.ts',
  status: 'failed',
  message: 'no such module\n  at y',
  assertionResults: [],
};

const run = (exitCode: number, ...testResults: File[]): Run => ({ name: 'parts', exitCode, report: { testResults } });
const stopped: Run = { name: 'parts', exitCode: 124, report: undefined };

const one = file('./a.test.ts', 'ok 1', 'expected 2');
const judge = file('./tests/last/judge.test.ts', 'ok all');

test.for<[string, Run, number, string[]]>([
  ['a run without failed tests has no failure', run(0, judge), 1, []],
  [
    'a failed test is a failure, with the first line of its message',
    run(1, one),
    1,
    ['./a.test.ts > expected 2: expected 2'],
  ],
  ['a file that could not be loaded is one failure', run(1, judge, unloaded), 1, ['./d.test.ts: no such module']],
  ['a run that was stopped is one failure', stopped, 0, ['parts: no test ended; exit code 124']],
  ['a run without tests is one failure', run(0), 0, ['parts: no test ended; exit code 0']],
  [
    'a run that ended with an error without a failed test is one failure',
    run(1, judge),
    1,
    ['parts: exit code 1, although no test failed'],
  ],
])('%s', ([, of, passed, failures]) => {
  const results = resultsOf(of);
  expect(results.passed).toBe(passed);
  expect(results.failures.map(({ test: name, reason }) => `${name}: ${reason}`)).toEqual(failures);
});

const failing = (...names: string[]) => names.map((name) => file(name, 'expected 1'));

test.for<[string, Run, string[]]>([
  ['nothing is repeated if all tests passed', run(0, judge), []],
  ['nothing is repeated if no test failed but the run ended with an error', run(1, judge), []],
  ['nothing is repeated after a run that was stopped', stopped, []],
  ['the failed files are repeated', run(1, one, file('./b.test.ts', 'ok 1'), unloaded), ['./a.test.ts', './d.test.ts']],
  [
    'a check of all recorded answers is repeated with the failed files',
    run(1, judge, one),
    ['./a.test.ts', './tests/last/judge.test.ts'],
  ],
  [
    'a check of all recorded answers is repeated by itself',
    run(1, file('./tests/last/j.test.ts', 'no')),
    ['./tests/last/j.test.ts'],
  ],
  ['three failed files are repeated', run(1, ...failing('./a', './b', './c')), ['./a', './b', './c']],
  ['four failed files are not repeated', run(1, ...failing('./a', './b', './c', './d')), []],
])('%s', ([, of, files]) => {
  expect(filesToRepeat(of)).toEqual(files);
});

test('the second attempt decides about repeated files, the first about all others', () => {
  const other = file('./b.test.ts', 'ok 1', 'ok 2');
  const whole = withRepeated(run(1, one, other), run(0, file('./a.test.ts', 'ok 1', 'ok 2')));
  expect(resultsOf(whole)).toEqual({ passed: 4, failures: [] });
});

test('a test that fails again is a failure, and one that passes is named', () => {
  const first = resultsOf(run(1, file('./a.test.ts', 'expected 1', 'expected 2')));
  const second = resultsOf(run(1, file('./a.test.ts', 'ok 1', 'expected 2')));
  expect(onlyFirst(first, second).map(({ reason }) => reason)).toEqual(['expected 1']);
  expect(second.failures.map(({ reason }) => reason)).toEqual(['expected 2']);
});

test('a second attempt that was stopped is ignored', () => {
  expect(withRepeated(run(1, one), stopped)).toEqual(run(1, one));
});

test('a second attempt that ended with an error without a failed test is a failure', () => {
  const whole = withRepeated(run(1, one), run(1, file('./a.test.ts', 'ok 1', 'ok 2')));
  expect(resultsOf(whole).failures).toEqual([{ test: 'parts', reason: 'exit code 1, although no test failed' }]);
});
