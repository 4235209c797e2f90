/** An operation of the API, as far as sending it needs it. */
export interface HttpOperation {
  method: string;
  /** Below the base URL: `/api/v2/bots/:id`. */
  path: string;
  hasId?: boolean;
  /** Takes an `Idempotency-Key`. */
  creates?: boolean;
  /** Its answer is text that may be read as it arrives. */
  streams?: boolean;
  /** Its time limit in ms, if the default is too short. */
  deadlineMs?: number;
}

/** The arguments of the client's methods: each part only if the operation has it. */
export interface RequestParts {
  id?: string;
  query?: Record<string, unknown>;
  body?: unknown;
}

interface HttpRequest {
  method: string;
  /** Path and query, below the base URL. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

interface HttpOptions {
  ifMatch?: string | undefined;
  idempotencyKey?: string | undefined;
  lastEventId?: string | undefined;
}

/** The HTTP request of an operation. */
export function toHttp(
  { method, path, hasId }: HttpOperation,
  { id, query, body }: RequestParts,
  { ifMatch, idempotencyKey, lastEventId }: HttpOptions,
): HttpRequest {
  return {
    method,
    path: (hasId ? path.replace(':id', encodeURIComponent(id ?? '')) : path) + queryText(query),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** `undefined` means no filter; `null` selects rows without a value. */
function queryText(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Whether it is safe to send it again: reads, and creations, which carry an idempotency key. */
export const isRepeatable = ({ method, creates }: HttpOperation): boolean => method === 'GET' || creates === true;
