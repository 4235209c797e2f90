import { expect, test } from 'vitest';
import { CliFailure } from '../failure/cli-failure.ts';
import { failureText } from '../failure/failure-text.ts';
import { print } from '../terminal/cli.ts';
import { styled } from '../terminal/style.ts';
import { harmless, harmlessLines } from './harmless.ts';

const movesUp = '\u001b[1A\u001b[2Kall is well';
const shown = '\ufffd[1A\ufffd[2Kall is well';

test('line ends, tabs and the styles of the command line stay, and all other control characters go', () => {
  const own = `${styled('good', 'Running')}\tweb\nnext`;

  expect(harmlessLines(own)).toBe(own);
  expect(harmlessLines(`a${movesUp}\r\u009b2J\u202e\u001b[8mb\u0007`)).toBe(
    `a${shown}\ufffd\ufffd2J\ufffd\ufffd[8mb\ufffd`,
  );
});

test('the reason of a failed task cannot rewrite the terminal', () => {
  expect(failureText(new CliFailure('failed', `task 1 failed:\n${movesUp}`))).toBe(`berth: task 1 failed:\n${shown}`);
});

test.each(Array.from('\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'))(
  '%j neither reorders nor breaks a line',
  (code) => {
    expect(harmless(`a${code}b`)).toBe('a\ufffdb');
    expect(harmlessLines(`a${code}b`)).toBe('a\ufffdb');
  },
);

test('an answer loses control characters on a terminal, and is unchanged in a pipe', () => {
  let out = '';
  const process = { stdout: { write: (text: string) => (out += text) }, stderr: { write: () => undefined } };
  const terminal = { columns: 80, isColoured: true };

  print({ process, terminals: { output: terminal, messages: null } }, movesUp);
  print({ process, terminals: { output: null, messages: null } }, movesUp);

  expect(out).toBe(`${shown}\n${movesUp}\n`);
});
