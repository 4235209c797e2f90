import { LostConnection } from '@berth/db/postgres/errors/postgres-error';
import { AppError } from '@berth/contracts/errors';
import { describe, expect, test } from 'vitest';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { conflict } from '../../errors/refuse.ts';
import { type StartFailure, startFailure } from './start-failure.ts';

describe('startFailure', () => {
  test.for<[string, unknown, StartFailure | null]>([
    [
      'is the message of a refusal, with its fields',
      conflict('The deployment is disabled'),
      { reason: 'The deployment is disabled', isBug: false },
    ],
    [
      'does not show the message of a bug',
      new TypeError('secret is not a function'),
      { reason: internalError.beforeStart, isBug: true },
    ],
    ['is null if the connection is lost', new LostConnection(new Error('reset')), null],
    ['is null if the database is unavailable', new AppError('unavailable', 'The database is not available'), null],
  ])('%s', ([, error, expected]) => {
    expect(startFailure(error)).toEqual(expected);
  });
});
