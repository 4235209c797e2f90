import { AppError } from '@berth/contracts/errors';
import { ClientError, ResponseBodyError } from 'openid-client';

/** Codes of openid-client for a provider that does not answer, or not as one. */
const notAnAnswer = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]);

export const providerUnavailable = (cause: unknown): AppError =>
  new AppError('unavailable', 'The identity provider cannot be reached, or its answer is not valid; try again later', {
    cause,
  });

/** A failed exchange is the attempt's fault when the provider refuses it, and the provider's when it does not answer as one. */
export function loginFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ResponseBodyError && error.status < 500) return invalidLogin(error);
  if (error instanceof ClientError && error.code !== undefined && !notAnAnswer.has(error.code))
    return invalidLogin(error);
  return providerUnavailable(error);
}

export const invalidLogin = (cause?: unknown): AppError =>
  new AppError(
    'invalid_login',
    'This login is unknown, has expired or was used already; start again',
    cause === undefined ? {} : { cause },
  );
