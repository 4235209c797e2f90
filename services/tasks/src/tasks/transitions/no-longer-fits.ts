import { AppError } from '@berth/contracts/errors';
import { conflict } from '../../errors/refuse.ts';

/** A retry has no body: where a new request is refused with 422 and fields, a retry is refused with 409 and a message. */
export function noLongerFits(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'unprocessable') return error;
  const words = error.errors?.map(({ path, message }) => `${path.replace(inOperation, '')}: ${message}`).join('; ');
  return conflict(`It no longer fits: ${words ?? error.message}`);
}

const inOperation = /^body\.(operation\.\w+\.)?/;
