import { expect, test } from 'vitest';
import { finderOf } from '../log/known-secrets.ts';
import { outcomeOfAnswer } from './outcome-of-answer.ts';

const secrets = finderOf(['swordfish', 'a.b.c']);
const of = (status: number, text = '', isDeletion = false) =>
  outcomeOfAnswer({ status, text }, { isDeletion, secrets });

test.for([
  [200, false, 'Done'],
  [204, true, 'Done'],
  [410, true, 'Done'],
  [410, false, 'Failed'],
  [302, false, 'Failed'],
  [400, false, 'Failed'],
  [401, false, 'Failed'],
  [403, true, 'Failed'],
  [404, false, 'Retry'],
  [404, true, 'Retry'],
  [408, false, 'Retry'],
  [409, false, 'Retry'],
  [429, false, 'Retry'],
  [500, false, 'Retry'],
  [503, true, 'Retry'],
] as const)('an answer %i to a call for a resource (a deletion: %s) is %s', ([status, isDeletion, outcome]) => {
  expect(of(status, 'words', isDeletion).outcome).toBe(outcome);
});

test('a reason quotes the beginning of the answer on one line, without secrets', () => {
  expect(of(500, 'no\n\troom for swordfish,\u0000 Bearer abcdefgh.ijk').reason).toBe(
    'The deployment answered 500: no room for ***, Bearer ***',
  );
  expect(of(500, 'é'.repeat(400)).reason).toBe(`The deployment answered 500: ${'é'.repeat(300)}`);
  expect(of(503).reason).toBe('The deployment answered 503');
  expect(of(302, 'https://elsewhere.example/swordfish').reason).toBe(
    'The deployment answered 302, and redirects are not followed',
  );
});
