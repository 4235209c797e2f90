import { AppError, type FieldError } from '@berth/contracts/errors';

/** 422: well-formed, but something that it refers to does not fit. */
export const unfit = (path: string, message: string): AppError => unfitAll([{ path, message }]);

export function unfitAll(errors: FieldError[]): AppError {
  const [first] = errors;
  return new AppError('unprocessable', first ? `${first.path}: ${first.message}` : 'It does not fit', { errors });
}

export const conflict = (words: string): AppError => new AppError('conflict', words);

export const beingDeleted = 'The deployment is being deleted';

export function refuseDeleted({ deleting }: { deleting: boolean }): void {
  if (deleting) throw conflict(beingDeleted);
}
