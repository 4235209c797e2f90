import { expect, test } from 'vitest';
import { startOf, widthOf } from './width.ts';

test.for([
  ['letters of ASCII', 'web', 3],
  ['letters with their accents', 'über', 4],
  ['letters with accents of their own', 'u\u0308ber', 4],
  ['wide letters', '日本語', 6],
  ['emoji', 'go 🚀', 5],
  ['an invisible joiner', 'a\u200db', 2],
  ['what stands for a harmful letter', '\ufffd', 1],
] as const)('%s: as many columns are counted as a terminal fills', ([, text, columns]) => {
  expect(widthOf(text)).toBe(columns);
});

test.for([
  ['日本語', 5, '日本'],
  ['日本語', 1, ''],
  ['u\u0308ber', 1, 'u\u0308'],
  ['web', 2, 'we'],
  ['web', -1, ''],
] as const)('of %s what fits into %d columns is %j', ([text, columns, start]) => {
  expect(startOf(text, columns)).toBe(start);
});
