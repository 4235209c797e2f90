import type { AppError, ErrorCode } from '@berth/contracts/errors';

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
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

export const titleOf = (status: number): string => titles[status] ?? 'Error';

export interface ProblemOptions {
  requestId: string;
  /** An HTTP status that is more specific than that of the error code. */
  status?: number;
}

export function problemOf(error: AppError, { requestId, status = error.status }: ProblemOptions): Problem {
  return {
    type: `urn:berth:error:${error.code}`,
    title: titleOf(status),
    status,
    detail: error.message,
    message: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.errors && { errors: error.errors }),
  };
}

export function problemHeaders(error: AppError): Record<string, string> {
  if (error.status === 401) return { 'www-authenticate': 'Bearer realm="berth"' };
  if (error.status === 503 || error.status === 429) return { 'retry-after': String(error.retryAfterSeconds ?? 1) };
  return {};
}
