import { AppError } from '@berth/contracts/errors';
import { silentLog } from '@berth/testing/test-bus';
import { expect, test } from 'vitest';
import { completeClaimed } from './complete-claimed.ts';

const errors: Record<string, Error> = {
  refused: new AppError('unprocessable', 'Its chart has no ingress'),
  crowded: new AppError('too_many_requests', 'Too many requests'),
  away: new AppError('unavailable', 'auth does not answer'),
  bug: new TypeError('x is not a function'),
};

const complete = (rows: readonly string[], remainingMs: number) =>
  completeClaimed<string, string>(rows, {
    remainingMs: () => remainingMs,
    log: silentLog,
    idOf: (id) => ({ id }),
    bugReason: 'An internal error',
    complete: async (row, deadlineMs) => {
      if (row === 'nothing to do') return null;
      if (errors[row]) throw errors[row];
      return `${row} within ${deadlineMs()} ms`;
    },
  });

test('a claim that cannot be completed fails alone, and its reason hides the details of a bug', async () => {
  const { jobs, failed } = await complete(['a', 'refused', 'nothing to do', 'crowded', 'away', 'bug', 'b'], 5_000);

  expect(jobs).toEqual(['a within 4500 ms', 'b within 4500 ms']);
  expect(failed.map(({ row, because, reason }) => [row, because, reason])).toEqual([
    ['refused', 'refused', 'Its chart has no ingress'],
    ['crowded', 'outage', 'Too many requests'],
    ['away', 'outage', 'auth does not answer'],
    ['bug', 'bug', 'An internal error'],
  ]);
});

test('a claim with almost no time left is completed within the minimal deadline of a call', async () => {
  expect((await complete(['a'], 300)).jobs).toEqual(['a within 100 ms']);
});
