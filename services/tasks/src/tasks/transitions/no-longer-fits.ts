import { AppError } from '@berth/contracts/errors';
import { conflict } from '../../errors/refuse.ts';

/** A retry has no body, so the 422 of a new request with its fields becomes a 409 with a message. */
export function noLongerFits(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'unprocessable') return error;
  const words = error.errors?.map(({ path, message }) => `${path.replace(inOperation, '')}: ${message}`).join('; ');
  return conflict(`It no longer fits: ${words ?? error.message}`);
}

const inOperation = /^body\.(operation\.\w+\.)?/;
