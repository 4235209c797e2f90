import type { Operation } from '@berth/shared/contracts/contract';
import { hasPathId } from '@berth/shared/contracts/contract';
import { invalidRequest } from '@berth/shared/contracts/field-errors';
import { AppError } from '@berth/shared/errors';
import { z } from 'zod';

interface HttpParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

const PathId = z.object({ id: z.uuid() });

/**
 * The request of an operation as its owner gets it, checked by the contract: the owner checks it again, but what is
 * malformed is answered here, before anybody is asked for a permission.
 */
export function requestOf(operation: Operation, { params, query, body }: HttpParts): object {
  const request: Record<string, unknown> = {};
  if (hasPathId(operation)) {
    const path = PathId.safeParse(params);
    if (!path.success) throw new AppError('not_found', `No such ${operation.singular}`);
    request['id'] = path.data.id;
  }
  const given = (query ?? {}) as Record<string, unknown>;
  if (operation.query) request['query'] = given;
  else if (Object.keys(given).length > 0) throw unknownQuery(Object.keys(given));
  if (operation.body && !(operation.bodyOptional && body === undefined)) request['body'] = body ?? {};
  else if (body !== undefined && !operation.body) throw unexpectedBody();
  const checked = operation.request.safeParse(request);
  if (!checked.success) throw invalidRequest(checked.error);
  return request;
}

const unknownQuery = (names: string[]) =>
  new AppError('invalid', `Unknown query parameter: ${names.join(', ')}`, {
    errors: names.map((name) => ({ path: `query.${name}`, message: 'is not known here' })),
  });

const unexpectedBody = () =>
  new AppError('invalid', 'This operation takes no body', { errors: [{ path: 'body', message: 'is not taken here' }] });
