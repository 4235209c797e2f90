import { signedIn } from '../access/rules.ts';
import { hasPathId, type OperationSpec, type Resource, takesIfMatch } from '../definition/contract.ts';
import { isCreation } from '../definition/idempotency-key.ts';
import { errorCodes } from '../errors.ts';
import type { JsonObject } from '../fields/json.ts';

const meanings = {
  400: 'Malformed or invalid; `errors` names each field and its rule',
  401: 'No valid credential',
  403: 'The credential does not allow this; the detail names the role that is needed',
  404: 'Missing, or not visible to the caller',
  409: 'A duplicate, something in use, or the wrong state',
  412: 'The row is not the one that `If-Match` names',
  413: 'The body is larger than 1 MiB, or than 16 KiB where no credential or no body is needed',
  415: 'The body is not JSON',
  422: 'Well-formed, but it refers to something that does not fit',
  429: 'Too many requests; see `Retry-After`',
  503: 'A part of the platform is down; see `Retry-After`',
  504: 'A part of the platform did not answer in time',
} as const;

export type ProblemStatus = keyof typeof meanings;

/** The shape of every error (RFC 9457). */
export const ProblemSchema: JsonObject = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'message', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    message: { type: 'string', description: 'The same as `detail`' },
    code: { type: 'string', description: 'Stable, in snake case, such as `not_found`' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'Such as `body.config.replicas`' },
          message: { type: 'string' },
        },
      },
    },
  },
};

/** The error codes of a status. */
const codesOf = (status: string): string[] =>
  Object.entries(errorCodes).flatMap(([code, own]) => (String(own) === status ? [code] : []));

const withCodes = (status: string): JsonObject => ({
  allOf: [
    { $ref: '#/components/schemas/Problem' },
    { type: 'object', properties: { code: { type: 'string', enum: codesOf(status) } } },
  ],
});

const retryAfter: JsonObject = {
  'Retry-After': { description: 'Seconds after which to try again', schema: { type: 'integer', minimum: 1 } },
};

export const problemResponses = (): JsonObject =>
  Object.fromEntries(
    Object.entries(meanings).map(([status, description]) => [
      `Problem${status}`,
      {
        description: `${description}. Its code: ${codesOf(status).join(', ')}`,
        ...((status === '429' || status === '503') && { headers: retryAfter }),
        content: { 'application/problem+json': { schema: withCodes(status) } },
      },
    ]),
  );

/** The errors of an operation, from its parts and its rule. */
export function problemStatuses(operation: OperationSpec, resource: Pick<Resource, 'etag'>): ProblemStatus[] {
  const { allow, body, conflicts, http = '' } = operation;
  const writes = !http.startsWith('GET');
  const named = hasPathId(operation);
  const applies: Record<ProblemStatus, boolean> = {
    // Operations without query or body refuse requests that have one, too.
    400: true,
    401: allow.on !== 'nothing',
    // Among operations without a credential, only logins can be refused.
    403: allow !== signedIn && (allow.on !== 'nothing' || writes),
    404: named,
    409: conflicts !== undefined || isCreation(operation),
    412: takesIfMatch(operation, resource),
    413: writes,
    415: writes,
    422: writes && (body !== undefined || isCreation(operation)),
    429: true,
    503: true,
    504: true,
  };
  const statuses = Object.keys(meanings).map((status) => Number(status) as ProblemStatus);
  return statuses.filter((status) => applies[status]);
}

export const problemsOf = (operation: OperationSpec, resource: Pick<Resource, 'etag'>): JsonObject =>
  Object.fromEntries(
    problemStatuses(operation, resource).map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
  );
