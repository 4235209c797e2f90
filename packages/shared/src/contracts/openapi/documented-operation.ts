import { hasPathId, type Operation, successStatus } from '../contract.ts';
import { IdempotencyKey, isCreation } from '../idempotency-key.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { whoMay } from '../who-may.ts';
import { problemsOf } from './problems.ts';
import type { SchemaWriter } from './schema-writer.ts';

interface Context {
  writer: SchemaWriter;
  hasEtag: boolean;
}

/** One operation as the document has it. */
export function documentedOperation(operation: Operation, context: Context): JsonObject {
  const { allow, body, bodyOptional, outstanding, resource, name, summary } = operation;
  const parameters = parametersOf(operation, context);
  return {
    operationId: `${resource}.${name}`,
    tags: [resource],
    summary,
    description: `Who may: ${whoMay(operation)}.${outstanding ? ' Not there yet: it answers 501.' : ''}`,
    ...(allow.on === 'nothing' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: bodyOptional !== true,
        content: { 'application/json': { schema: context.writer.input(body) } },
      },
    }),
    responses: { [successStatus(operation)]: successOf(operation, context), ...problemsOf(operation, context) },
  };
}

function parametersOf(operation: Operation, { writer, hasEtag }: Context): JsonValue[] {
  const method = operation.http?.split(' ')[0];
  return [
    ...(hasPathId(operation)
      ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }]
      : []),
    ...queryParameters(operation, writer),
    ...(isCreation(operation)
      ? [{ ...header('Idempotency-Key', idempotencyWords), schema: writer.input(IdempotencyKey) }]
      : []),
    ...(hasEtag && hasPathId(operation) && (method === 'PUT' || method === 'DELETE')
      ? [header('If-Match', 'The `ETag` of the row that is meant, or `*`')]
      : []),
  ];
}

const idempotencyWords = `The same key and body by the same identity within 24 h get the first answer and create nothing; the
same key with another body gets 422. Only successes are remembered. While the first request still runs the second waits for
it, or gets 409. Where the first answer held a \`created_token\` the second gets 409, which names the id of the token.`;

const header = (name: string, description: string): JsonObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

function queryParameters({ query }: Operation, writer: SchemaWriter): JsonObject[] {
  if (!query) return [];
  const { properties } = writer.input(query);
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
    ...(isJsonObject(schema) && schema.description !== undefined && { description: schema.description }),
  }));
}

function successOf(operation: Operation, { writer, hasEtag }: Context): JsonObject {
  const status = successStatus(operation);
  if (status === 204) return { description: 'Done' };
  const type = operation.produces ?? 'application/json';
  const isRead = operation.http?.startsWith('GET') === true && hasPathId(operation);
  return {
    description: status === 201 ? 'Created' : 'OK',
    ...(hasEtag &&
      isRead && {
        headers: { ETag: { description: 'Of the fields that a person can change', schema: { type: 'string' } } },
      }),
    content: { [type]: { schema: operation.produces ? { type: 'string' } : writer.output(operation.response) } },
  };
}
