import { isErrorCode } from '@berth/contracts/errors';
import type { Problem } from './answer.ts';
import type { FieldError } from './errors.ts';

/** Reads an unsuccessful answer. Never throws: an unreadable answer is a problem, too. */
export async function readProblem(request: string, response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '');
  const { code, detail, errors } = membersOf(text);
  const common = {
    request,
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
  };
  if (!isErrorCode(code)) {
    return {
      ...common,
      code: 'unintelligible',
      detail: unknownDetail(response.status, code, detail),
      errors: [],
    };
  }
  return {
    ...common,
    code,
    detail: typeof detail === 'string' ? detail : code,
    errors: Array.isArray(errors) ? errors.filter(isFieldError) : [],
  };
}

/** A newer platform may answer a code that this version does not know; its words still say what is wrong. */
function unknownDetail(status: number, code: unknown, detail: unknown): string {
  if (typeof code !== 'string' || typeof detail !== 'string') return `HTTP ${status} without a problem document`;
  return `${detail} (HTTP ${status}, ${code})`;
}

/** Does not use the JSON of the contracts, which would bring zod into every bundle. */
function membersOf(text: string): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null ? { ...content } : {};
  } catch {
    return {};
  }
}

export const unreachable = (request: string, cause: unknown): Problem => ({
  request,
  code: 'unreachable',
  status: 0,
  detail: 'The server did not answer',
  errors: [],
  requestId: null,
  retryAfterMs: null,
  cause,
});

const isFieldError = (error: unknown): error is FieldError =>
  typeof error === 'object' &&
  error !== null &&
  'path' in error &&
  typeof error.path === 'string' &&
  'message' in error &&
  typeof error.message === 'string';

/** Berth sends seconds, not dates. */
function retryAfterMs(header: string | null): number | null {
  const seconds = Number(header ?? '');
  return header !== null && header !== '' && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
