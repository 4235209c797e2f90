import { AppError } from '@berth/shared/errors';
import type { Variant } from '../../records/variant.ts';
import type { Operation } from './operation.ts';
import { unlessEnabled } from './task-of.ts';

/** An operation that the contract has and no request gets: no task of it exists. */
export function notImplemented(variant: Variant): Operation {
  const error = () => new AppError('not_implemented', `Tasks of the operation ${variant} cannot be made yet`);
  return {
    notRequestable: error,
    refusal: unlessEnabled,
    changes: () => null,
    task: () => {
      throw error();
    },
    nothingToDo: () => null,
    runAtStart: () => ({ impossible: 'The task has nothing to run' }),
    startEvent: null,
    afterSuccess: (deployment) => deployment,
    retry: () => ({ refused: 'The task has nothing that could be run again' }),
  };
}
