import { AppError } from '@berth/contracts/errors';
import { ClientError, ResponseBodyError } from 'openid-client';

/** Codes of openid-client for a provider that does not answer, or whose answer is invalid. */
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

/** Blames the attempt if the provider refused the exchange, and the provider if it did not answer or its answer is invalid. */
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
