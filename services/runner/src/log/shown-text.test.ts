import { expect, test } from 'vitest';
import { finderOf } from './known-secrets.ts';
import { shownText } from './shown-text.ts';

test.for([
  ['is one line without control characters', 'one\n two\u0000\u001b[31m\u202Ethree ', 'one  two [31m three'],
  ['is shown without secrets of the run', 'password swordfish is wrong', 'password *** is wrong'],
  ['has no token', 'got Bearer abcdefghijkl', 'got Bearer ***'],
  ['is bounded', 'x'.repeat(100_000), `${'x'.repeat(3_999)}…`],
] as const)('a text of strangers %s', ([, text, shown]) => {
  expect(shownText(text, finderOf(['swordfish']))).toBe(shown);
});
