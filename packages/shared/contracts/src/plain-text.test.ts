import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';

test.for([
  ['is kept on one line without control characters', 'one\ntwo\u001b[31m\u202Ethree ', 'one two [31m three'],
  ['that is too long ends with a mark', 'x'.repeat(21), `${'x'.repeat(19)}…`],
  ['ends with the mark too if what is left after a cut is short', `one${'\n'.repeat(50)}two`, 'one…'],
] as const)('a text of strangers %s', ([, text, shown]) => {
  expect(plainText(text, 20)).toBe(shown);
});
