import { AppError, type ErrorCode } from '@berth/shared/errors';

/** RFC 9457 `application/problem+json`, with `message` for older clients. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  message: string;
  code: ErrorCode;
  request_id: string;
  errors?: { path: string; message: string }[];
}

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

export function problemOf(error: AppError, requestId: string): Problem {
  return {
    type: `urn:berth:error:${error.code}`,
    title: titles[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    message: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.errors && { errors: error.errors }),
  };
}

/** Headers that go with a problem: what to present, when to come back. */
export function problemHeaders(error: AppError): Record<string, string> {
  if (error.status === 401) return { 'www-authenticate': 'Bearer realm="berth"' };
  if (error.status === 503 || error.status === 429) return { 'retry-after': '1' };
  return {};
}

interface FastifyErrorLike {
  code?: unknown;
  statusCode?: unknown;
}

/** The framework's own refusals in our words; null for what is a bug of ours. */
export function appErrorOf(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  if (typeof error !== 'object' || error === null) return null;
  const { code, statusCode } = error as FastifyErrorLike;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', 'The body must be sent as application/json');
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) {
    return new AppError('too_large', 'The body must not be larger than 1 MiB');
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid', 'The request is malformed', { cause: error });
  }
  return null;
}
