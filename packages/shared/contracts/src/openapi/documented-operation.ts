import {
  answersRow,
  hasPathId,
  type Operation,
  type Resource,
  successStatus,
  takesIfMatch,
} from '../definition/contract.ts';
import { queuesTasks, taskHeaders } from '../definition/queued-tasks.ts';
import { IdempotencyKey, isCreation } from '../definition/idempotency-key.ts';
import type { JsonObject, JsonValue } from '../fields/json.ts';
import { isJsonObject } from '../fields/json.ts';
import { whoMay } from '../definition/who-may.ts';
import { examples } from './examples.ts';
import { problemsOf } from './problems.ts';
import type { SchemaWriter } from './schema-writer.ts';

interface Context {
  writer: SchemaWriter;
  resource: Pick<Resource, 'etag' | 'state'>;
}

/** An operation as the document shows it. */
function documentedOperation(operation: Operation, context: Context): JsonObject {
  const { allow, body, bodyOptional, resource, name, summary } = operation;
  const parameters = parametersOf(operation, context);
  return {
    operationId: `${resource}.${name}`,
    tags: [resource],
    summary,
    description: descriptionOf(operation),
    ...(allow.on === 'nothing' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: bodyOptional !== true,
        content: { 'application/json': { schema: context.writer.input(body), ...exampleOf(operation, 'body') } },
      },
    }),
    responses: {
      [successStatus(operation)]: successOf(operation, context),
      ...problemsOf(operation, context.resource),
    },
  };
}

function descriptionOf(operation: Operation): string {
  const { conflicts } = operation;
  const sentences = [`Who may: ${whoMay(operation)}.`, ...(conflicts === undefined ? [] : [`409 where ${conflicts}.`])];
  return sentences.join(' ');
}

/** The methods that a route also answers, by path item of the document. */
export function documentedMethods(operation: Operation, context: Context): Record<string, JsonObject> {
  const method = operation.http?.split(' ')[0]?.toLowerCase() ?? '';
  const documented = documentedOperation(operation, context);
  const alias = (id: string, summary: string) => ({
    ...documented,
    operationId: `${operation.resource}.${id}`,
    summary,
  });
  return {
    [method]: documented,
    ...(method === 'get' && {
      head: {
        ...alias(`${operation.name}.head`, `${operation.summary}: the headers only`),
        responses: headResponses(operation, context),
      },
    }),
    ...(method === 'put' && { patch: alias(`${operation.name}.patch`, `${operation.summary}; the same as PUT`) }),
  };
}

/** A response to HEAD has no content, whatever its status. */
function headResponses(operation: Operation, context: Context): JsonObject {
  const { content: _, ...success } = successOf(operation, context);
  const refusals = Object.keys(problemsOf(operation, context.resource)).map((status) => [
    status,
    { description: 'As for GET, without content' },
  ]);
  return { [successStatus(operation)]: success, ...Object.fromEntries(refusals) };
}

function parametersOf(operation: Operation, { writer, resource }: Context): JsonValue[] {
  return [
    ...(hasPathId(operation)
      ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }]
      : []),
    ...queryParameters(operation, writer),
    ...(isCreation(operation)
      ? [{ ...header('Idempotency-Key', idempotencyWords), schema: writer.input(IdempotencyKey) }]
      : []),
    ...(takesIfMatch(operation, resource) ? [header('If-Match', 'The `ETag` of the row that is meant, or `*`')] : []),
  ];
}

const idempotencyWords = `The same key and body by the same identity within 24 h get the first answer and create nothing; the
same key with another body gets 422. Only successes are remembered. While the first request still runs the second waits for
it, or gets 409. Where the first answer held a \`created_token\` the second gets 409, which names the id of the token.`;

const etagWords = 'Covers the fields that callers can change; if a row has none, all its fields except `last_used_at`';

const taskIdsWords =
  'The ids of the tasks that the request queued, in their order and separated by a comma and a space: the first 50 of them. Absent if it queued none';

const taskCountWords = 'The number of tasks that the request queued; more than the ids where there are more than 50';

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
    // Values of a list are separated by commas.
    ...(isJsonObject(schema) && schema.type === 'array' && { explode: false }),
    ...(isJsonObject(schema) && schema.description !== undefined && { description: schema.description }),
  }));
}

function successOf(operation: Operation, { writer, resource }: Context): JsonObject {
  const status = successStatus(operation);
  const headers = {
    ...(answersRow(operation, resource) && { ETag: { description: etagWords, schema: { type: 'string' } } }),
    ...(queuesTasks(operation) && {
      [taskHeaders.ids]: { description: taskIdsWords, schema: { type: 'string' } },
      [taskHeaders.count]: { description: taskCountWords, schema: { type: 'integer' } },
    }),
  };
  const withHeaders = Object.keys(headers).length > 0 && { headers };
  if (status === 204) return { description: 'Done', ...withHeaders };
  const type = operation.produces ?? 'application/json';
  return {
    description: status === 201 ? 'Created' : 'OK',
    ...withHeaders,
    content: {
      [type]: {
        schema: operation.produces ? { type: 'string' } : writer.output(operation.response),
        ...exampleOf(operation, 'answer'),
      },
    },
  };
}

function exampleOf({ resource, name }: Operation, part: 'body' | 'answer'): JsonObject {
  const example = examples[`${resource}.${name}`]?.[part];
  return example === undefined ? {} : { example };
}
