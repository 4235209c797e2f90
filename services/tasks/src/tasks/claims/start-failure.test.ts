import { LostConnection } from '@berth/db/postgres/errors/postgres-error';
import { AppError } from '@berth/contracts/errors';
import { describe, expect, test } from 'vitest';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { conflict } from '../../errors/refuse.ts';
import { type StartFailure, startFailure } from './start-failure.ts';

describe('startFailure', () => {
  test.for<[string, unknown, StartFailure | null]>([
    [
      'names what does not fit',
      conflict('The deployment is disabled'),
      { reason: 'The deployment is disabled', isBug: false },
    ],
    [
      'keeps a bug to itself',
      new TypeError('secret is not a function'),
      { reason: internalError.beforeStart, isBug: true },
    ],
    ['is none where the connection is lost', new LostConnection(new Error('reset')), null],
    ['is none where the database is away', new AppError('unavailable', 'The database is not available'), null],
  ])('%s', ([, error, expected]) => {
    expect(startFailure(error)).toEqual(expected);
  });
});
