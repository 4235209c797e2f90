import { expect, test } from 'vitest';
import { slowestTable } from './slowest-files.ts';

test('the table lists the slowest files first, with their seconds and the share before the first test', () => {
  const took = [
    { file: 'services/auth/test/bots.test.ts', seconds: 1.26, beforeFirst: 0.63 },
    { file: 'tests/fuzz.test.ts', seconds: 33, beforeFirst: 8.25 },
    { file: 'tests/secrets.test.ts', seconds: 0, beforeFirst: 0 },
  ];

  expect(slowestTable(took, { most: 2, minutes: 6.54 })).toBe(`The slowest files, of 6.5 minutes in all:
  seconds  before the first test
     33.0   25 %  tests/fuzz.test.ts
      1.3   50 %  services/auth/test/bots.test.ts
`);
});

test('a run without files has no table', () => {
  expect(slowestTable([], { most: 2, minutes: 0 })).toBe('');
});
