/** The fields of Vitest's JSON report that are read here. */
export interface Report {
  testResults: {
    /** Path of the file. */
    name: string;
    status: string;
    /** Why the file could not be loaded; empty if it was. */
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** One run of the test runner, which has no report if it was stopped early. */
export interface Run {
  name: string;
  exitCode: number;
  report: Report | undefined;
}

export interface Failure {
  /** A failed test with its file, or a file or run that failed as a whole. */
  test: string;
  /** One line. */
  reason: string;
}

export interface Results {
  passed: number;
  failures: Failure[];
}

/** A race does not make more files fail than this, and a second attempt would hide other causes. */
const MOST_REPEATED = 3;

/**
 * The results of a run. Counted as one failed test: a file that could not be loaded, a run that ended with an error without a
 * failed test, and a run without tests.
 */
export function resultsOf({ name, exitCode, report }: Run): Results {
  const files = report?.testResults ?? [];
  const passed = files.flatMap((file) => file.assertionResults).filter(({ status }) => status === 'passed').length;
  const failures = files.flatMap(failuresOf);
  if (passed + failures.length === 0) failures.push({ test: name, reason: `no test ended; exit code ${exitCode}` });
  else if (exitCode !== 0 && failures.length === 0) {
    failures.push({ test: name, reason: `exit code ${exitCode}, although no test failed` });
  }
  return { passed, failures };
}

/** The files to run again, with those that check what all tests recorded; empty if all tests passed or too many files failed. */
export function filesToRepeat({ report }: Run): string[] {
  const files = report?.testResults ?? [];
  const failed = files.filter((file) => failuresOf(file).length > 0);
  const judges = files.filter(({ name }) => name.includes('/tests/last/'));
  const others = failed.filter((file) => !judges.includes(file));
  if (failed.length === 0 || others.length > MOST_REPEATED) return [];
  return [...others, ...judges].map(({ name }) => name);
}

/** The run with results of the second attempt for repeated files. A second attempt that was stopped is ignored. */
export function withRepeated(first: Run, second: Run): Run {
  if (first.report === undefined || second.report === undefined) return first;
  const repeated = second.report.testResults;
  const names = new Set(repeated.map(({ name }) => name));
  const others = first.report.testResults.filter(({ name }) => !names.has(name));
  return { name: first.name, exitCode: second.exitCode, report: { testResults: [...others, ...repeated] } };
}

/** Failures of the first attempt that did not occur in the second. */
export function onlyFirst(first: Results, second: Results): Failure[] {
  const still = new Set(second.failures.map(({ test }) => test));
  return first.failures.filter(({ test }) => !still.has(test));
}

function failuresOf(file: Report['testResults'][number]): Failure[] {
  const failures = file.assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({
      test: `${file.name} > ${fullName}`,
      reason: firstLine(failureMessages[0] ?? ''),
    }));
  if (failures.length > 0 || file.status !== 'failed') return failures;
  return [{ test: file.name, reason: firstLine(file.message) }];
}

const LONGEST_REASON = 500;

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').slice(0, LONGEST_REASON);
