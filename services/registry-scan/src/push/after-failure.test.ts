import { AppError } from '@berth/contracts/errors';
import { expect, test } from 'vitest';
import { RegistryError } from '../connection/registry-error.ts';
import { afterFailure } from './after-failure.ts';

const timeout = new DOMException('too slow', 'TimeoutError');
const denied = new RegistryError('denied', 'registry.example.com refuses access (403)');

test.for([
  ['after a registry did not answer', new RegistryError('unavailable', 'no answer'), 100],
  ['after the database did not answer', new AppError('unavailable', 'no answer'), 100],
  ['after a timeout', timeout, 100],
  ['after the registry refused it a few times', denied, 4],
  ['after a bug a few times', new TypeError('a bug'), 4],
] as const)('a message comes back %s', ([, error, receives]) => {
  expect(afterFailure(error, receives)).toMatchObject({ is: 'later' });
});

test('a message comes back later after each failure, and within a quarter of an hour', () => {
  const verdicts = [1, 2, 3, 50].map((receives) => afterFailure(timeout, receives));

  expect(verdicts).toEqual([10, 20, 40, 900].map((seconds) => ({ is: 'later', afterMs: seconds * 1000 })));
});

test.for([
  ['its registry refused', denied, 'it failed 5 times: registry.example.com refuses access (403)'],
  [
    'a bug hides',
    new TypeError('secret'),
    'it failed 5 times: an unexpected error, which the log of registry-scan names',
  ],
] as const)('a message that %s at every receipt becomes a dead letter', ([, error, reason]) => {
  expect(afterFailure(error, 5)).toEqual({ is: 'buried', reason });
});
