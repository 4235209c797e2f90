import { AppError } from '@berth/contracts/errors';
import { describe, expect, test } from 'vitest';
import { conflict, unfitAll } from '../../errors/refuse.ts';
import { noLongerFits } from './no-longer-fits.ts';

describe('noLongerFits', () => {
  test('names every field without `body`, since a retry has none', () => {
    const unfit = unfitAll([
      { path: 'body.operation.Upgrade.config_inputs.replicas', message: 'must be at most 5' },
      { path: 'body.name', message: 'is taken' },
    ]);

    expect(noLongerFits(unfit)).toEqual(
      conflict('It no longer fits: config_inputs.replicas: must be at most 5; name: is taken'),
    );
  });

  test.for([
    ['another refusal', conflict('The deployment is disabled')],
    ['a failure', new AppError('unavailable', 'The database is not available')],
    ['a bug', new TypeError('undefined is not a function')],
  ] as const)('leaves %s as it is', ([, error]) => {
    expect(noLongerFits(error)).toBe(error);
  });
});
