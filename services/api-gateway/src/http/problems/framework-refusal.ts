import { smallBodyBytes } from '@berth/contracts/definition/body-limit';
import { AppError } from '@berth/contracts/errors';

/** Converts a refusal of the framework into an error of the API; null for a bug. `bodyLimit` is the route's, in bytes. */
export function frameworkRefusal(error: unknown, bodyLimit: number | undefined): AppError | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? error.code : undefined;
  const status = 'statusCode' in error ? error.statusCode : undefined;

  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', 'The body must be sent as application/json');
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || status === 413) {
    return new AppError('too_large', `The body must not be larger than ${sizeText(bodyLimit ?? smallBodyBytes)}`);
  }
  // The paths of the API do not have parts this long.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new AppError('not_found', 'No such path');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new AppError('invalid', 'The request is malformed', { cause: error });
  }
  return null;
}

const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
