import { AppError } from '@berth/shared/errors';
import { conflict } from '../../errors/refuse.ts';

/** A retry has no body that could be wrong: what a new request would be told as its fields, it is told in words (decision 6: 409). */
export function noLongerFits(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'unprocessable') return error;
  const words = error.errors?.map(({ path, message }) => `${path.replace(inOperation, '')}: ${message}`).join('; ');
  return conflict(`It does not fit any more: ${words ?? error.message}`);
}

const inOperation = /^body\.(operation\.\w+\.)?/;
