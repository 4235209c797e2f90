import { hasPathId, type Operation } from '@berth/contracts/definition/contract';
import { invalidRequest } from '@berth/contracts/fields/field-errors';
import { Id } from '@berth/contracts/fields/fields';
import { AppError, type FieldError } from '@berth/contracts/errors';
import { harmIn } from '@berth/contracts/fields/harmful-text';

interface HttpParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

export type ReadRequest = (parts: HttpParts) => object;

/**
 * Builds the request of an operation for its owner and checks it against the contract. The owner checks it again; this check
 * refuses a malformed request before any permission is checked.
 */
export function requestReader(operation: Operation): ReadRequest {
  const readId = hasPathId(operation);
  const needsSchema = operation.query !== undefined || operation.body !== undefined;

  return ({ params, query, body }) => {
    const request: Record<string, unknown> = {};
    if (readId) request['id'] = pathId(operation, params);
    readQuery(operation, query, request);
    readBody(operation, body, request);
    if (needsSchema) {
      const checked = operation.request.safeParse(request);
      if (!checked.success) throw invalidRequest(checked.error);
    }
    return request;
  };
}

function pathId({ singular }: Operation, params: unknown): string {
  const { id } = params as { id: string };
  if (!Id.safeParse(id).success) throw new AppError('not_found', `No such ${singular}`);
  return id;
}

function readQuery({ query: schema, http }: Operation, query: unknown, request: Record<string, unknown>): void {
  const given = query as Record<string, unknown>;
  // In an upgrade, an owner of the previous version may not know the query of a change.
  const isRead = http?.startsWith('GET') === true;
  if (schema && (isRead || Object.keys(given).length > 0)) request['query'] = given;
  const errors: FieldError[] = [];
  for (const name in given) {
    const path = `query.${name}`;
    if (!schema) errors.push({ path, message: 'is not known here' });
    const harm = [given[name]].flat().map((value) => harmIn(String(value)))[0];
    if (harm) errors.push({ path, message: harm });
  }
  const [first] = errors;
  if (first) throw new AppError('invalid', `${first.path}: ${first.message}`, { errors });
}

function readBody({ body: schema, bodyOptional }: Operation, body: unknown, request: Record<string, unknown>): void {
  if (schema) {
    if (body !== undefined) request['body'] = body;
    else if (!bodyOptional) request['body'] = {};
  } else if (body !== undefined && !isEmptyObject(body)) {
    throw new AppError('invalid', 'This operation takes no body', {
      errors: [{ path: 'body', message: 'must be empty' }],
    });
  }
}

/** Many clients send `{}` for an empty body. */
const isEmptyObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
