import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Operation, successStatus } from '../definition/contract.ts';
import { resources } from '../resources/index.ts';
import { errorCodes } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../fields/json.ts';
import { examples } from './examples.ts';
import { openApiDocument } from './openapi.ts';

const Documented = z.looseObject({
  description: z.string(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.string(),
        schema: z.looseObject({ enum: z.array(z.string()).optional() }),
      }),
    )
    .default([]),
  responses: z.record(z.string(), z.unknown()),
});

const document = openApiDocument(resources, { version: '1.2.3', url: 'https://berth.example.com' });
const at = (...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((node, key) => (isJsonObject(node) ? node[key] : undefined), document);
const membersOf = (value: JsonValue | undefined): JsonValue[] => (isJsonObject(value) ? Object.values(value) : []);

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));

    expect(result).toMatchObject({ valid: true });
  });

  test('has every operation with a route once, with HEAD beside GET and PATCH beside PUT', () => {
    const documented = membersOf(at('paths'))
      .flatMap(membersOf)
      .map((operation) => (isJsonObject(operation) ? operation.operationId : undefined));
    const aliases: Record<string, string> = { GET: '.head', PUT: '.patch' };
    const expected = resources.flatMap(({ operations }) =>
      Object.values<Operation>(operations).flatMap(({ http, resource, name }) => {
        const alias = aliases[http?.split(' ')[0] ?? ''];
        return http ? [`${resource}.${name}`, ...(alias ? [`${resource}.${name}${alias}`] : [])] : [];
      }),
    );

    expect(documented).toHaveLength(expected.length);
    expect(new Set(documented)).toEqual(new Set(expected));
  });

  test('has a summary for each operation that says what it does, as no other one does', () => {
    const summaries = Object.values(resources)
      .flatMap(({ operations }): Operation[] => Object.values(operations))
      .flatMap(({ http, summary }) => (http === undefined ? [] : [summary]));

    const verbs =
      /^(List|Create|Read|Change|Delete|Update|Cancel|Revoke|Rename|Remove|Give|Let|Plan|Make|Add|Forget|Start|Finish|Store|Follow|Export|Uninstall|Activate|Explain|Check|Show|Put) /;
    expect(summaries.filter((summary) => !verbs.test(summary))).toEqual([]);
    expect(new Set(summaries).size).toBe(summaries.length);
  });

  test('puts the API below its prefix and the keys at the well-known JWKS path', () => {
    expect(at('paths', '/api/v2/deployments/{id}', 'put', 'operationId')).toBe('deployments.update');
    expect(at('paths', '/.well-known/jwks.json', 'get', 'operationId')).toBe('signing_keys.list');
  });

  test('describes the permitted callers and the conflicts of an operation', () => {
    expect(at('paths', '/api/v2/envs/{id}', 'put', 'description')).toBe(
      'Who may: an admin of the env; a site admin for a change of name or auto_add_new_users. ' +
        '409 where another env has the name, or too many envs add new users automatically.',
    );
  });

  test('has no 409 for an operation that can neither conflict nor be repeated', () => {
    const statuses = (method: string) => Object.keys(at('paths', '/api/v2/bots/{id}', method, 'responses') as object);

    expect([statuses('put'), statuses('delete')].filter((all) => all.includes('409'))).toEqual([]);
  });

  test('needs no credential for the login', () => {
    expect(at('security')).toEqual([{ serviceToken: [] }, { bearer: [] }]);
    expect(at('paths', '/api/v2/auth/idp', 'get', 'security')).toEqual([]);
  });

  test('refers to rows and bodies by name', () => {
    const body = ['requestBody', 'content', 'application/json', 'schema', '$ref'];

    expect(at('paths', '/api/v2/k8s-clusters/{id}', 'put', ...body)).toBe('#/components/schemas/K8sClusterChanges');
    const items = ['responses', '200', 'content', 'application/json', 'schema', 'properties', 'items'];
    expect(at('paths', '/api/v2/k8s-clusters', 'get', ...items)).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/K8sCluster' },
    });
    expect(at('components', 'schemas', 'K8sCluster', 'properties', 'is_ok')).toEqual({ type: 'boolean' });
  });

  test('documents ids in a query as a list with commas', () => {
    const parameters = at('paths', '/api/v2/deployments', 'get', 'parameters') as { name: string }[];

    expect(parameters.find(({ name }) => name === 'ids')).toEqual({
      name: 'ids',
      in: 'query',
      explode: false,
      schema: { type: 'array', items: { type: 'string', format: 'uuid' }, minItems: 1, maxItems: 100 },
    });
    expect(parameters.filter((parameter) => 'explode' in parameter)).toHaveLength(1);
  });

  test('lists the columns to sort by, and documents flags as booleans', () => {
    const parameters = at('paths', '/api/v2/users', 'get', 'parameters') as { name: string; schema: object }[];
    const schemaOf = (wanted: string) => parameters.find(({ name }) => name === wanted)?.schema;

    expect(schemaOf('sort')).toMatchObject({ enum: expect.arrayContaining(['display_name', '-display_name']) });
    expect(schemaOf('sort')).not.toMatchObject({ enum: expect.arrayContaining(['email']) });
    expect(schemaOf('is_active')).toEqual({ type: 'boolean' });
  });

  test('contains the limits of lengths', () => {
    expect(at('components', 'schemas', 'NewBot', 'properties', 'display_name')).toEqual({
      type: 'string',
      minLength: 1,
      maxLength: 100,
    });
  });

  test('answers a canceled task with the task, and a deletion with nothing', () => {
    const content = ['content', 'application/json', 'schema', '$ref'];

    expect(at('paths', '/api/v2/deployment-tasks/{id}', 'delete', 'responses', '200', ...content)).toBe(
      '#/components/schemas/DeploymentTask',
    );
    expect(at('paths', '/api/v2/envs/{id}', 'delete', 'responses', '204')).toEqual({ description: 'Done' });
  });

  test('documents the Idempotency-Key of operations that create, and its refusals', () => {
    const ofRetry = ['paths', '/api/v2/deployment-tasks/{id}/retry', 'post'];
    const key = { name: 'Idempotency-Key', in: 'header', schema: { minLength: 1, maxLength: 255 } };

    expect(at(...ofRetry, 'parameters')).toMatchObject([{ name: 'id' }, { name: 'supersede', in: 'query' }, key]);
    expect(Object.keys(at(...ofRetry, 'responses') as object)).toEqual(expect.arrayContaining(['400', '409', '422']));
    expect(at('paths', '/api/v2/auth/idp/callback', 'post', 'parameters')).toBeUndefined();
  });

  test('has an example that fits the contract for each operation but streams and the end of a sign-in', () => {
    const documented = resources.flatMap(({ operations }) =>
      Object.values<Operation>(operations).filter(({ http, produces }) => http !== undefined && produces === undefined),
    );
    const isUnlike = (operation: Operation) => {
      const { body, answer } = examples[nameOf(operation)] ?? {};
      if (body !== undefined && operation.body?.safeParse(body).success !== true) return true;
      return successStatus(operation) !== 204 && !operation.response.safeParse(answer).success;
    };

    const hasContent = (one: Operation) => one.body !== undefined || successStatus(one) !== 204;
    expect(documented.filter((one) => hasContent(one) && !(nameOf(one) in examples)).map(nameOf)).toEqual([
      'logins.finish',
    ]);
    expect(documented.filter((one) => nameOf(one) in examples && isUnlike(one)).map(nameOf)).toEqual([]);
  });

  test('names the codes of every refusal, each with its status', () => {
    const codes = (status: number) =>
      at('components', 'responses', `Problem${status}`, 'content', 'application/problem+json', 'schema', 'allOf');

    expect(codes(401)).toMatchObject([
      { $ref: '#/components/schemas/Problem' },
      { properties: { code: { enum: ['unauthenticated', 'token_revoked', 'token_expired', 'user_inactive'] } } },
    ]);
    expect(codes(429)).toMatchObject([{}, { properties: { code: { enum: ['too_many_requests'] } } }]);
    expect(at('components', 'responses', 'Problem429', 'headers', 'Retry-After', 'schema')).toMatchObject({
      type: 'integer',
    });
  });

  test('has problem+json for every refusal', () => {
    const types = membersOf(at('components', 'responses')).map((response) =>
      isJsonObject(response) && isJsonObject(response.content) ? Object.keys(response.content) : [],
    );

    expect(types.every((own) => own.join() === 'application/problem+json')).toBe(true);
    expect(Object.keys(at('paths', '/api/v2/deployments/{id}', 'put', 'responses') as object)).toEqual(
      expect.arrayContaining(['400', '401', '403', '404', '409', '412', '413', '415', '422', '429', '503', '504']),
    );
  });
});

const routed = resources.flatMap(({ operations }) =>
  Object.values<Operation>(operations).filter(({ http }) => http !== undefined),
);
const nameOf = ({ resource, name }: Operation): string => `${resource}.${name}`;

/** The columns by which a list can be sorted, from its contract. */
function sortsOf({ query }: Operation): string[] | undefined {
  const sort = query?.shape['sort'];
  const inner = sort instanceof z.ZodOptional ? sort.unwrap() : sort;
  return inner instanceof z.ZodEnum ? inner.options.map(String) : undefined;
}

describe('the OpenAPI document has for each operation', () => {
  test.for(routed.map((operation) => [nameOf(operation), operation] as const))(
    '%s: who may call it, the codes of each refusal, and each filter and column to sort by',
    ([name, operation]) => {
      const documented = membersOf(at('paths'))
        .flatMap(membersOf)
        .find((one) => isJsonObject(one) && one['operationId'] === name);
      const { description, parameters, responses } = Documented.parse(documented);

      expect(description).toMatch(/^Who may: [a-z].{3,}\./);
      const refusals = Object.keys(responses).filter((status) => Number(status) >= 400);
      const always = ['400', '429', '503', '504', ...(operation.allow.on === 'nothing' ? [] : ['401'])];
      expect(refusals).toEqual(expect.arrayContaining(always));
      for (const status of refusals) {
        expect(responses[status]).toEqual({ $ref: `#/components/responses/Problem${status}` });
        const schema = at(
          'components',
          'responses',
          `Problem${status}`,
          'content',
          'application/problem+json',
          'schema',
        );
        const codes = Object.entries(errorCodes).flatMap(([code, own]) => (String(own) === status ? [code] : []));
        expect(codes).not.toEqual([]);
        expect(schema).toMatchObject({ allOf: [{}, { properties: { code: { enum: codes } } }] });
      }
      const inQuery = parameters.filter((one) => one.in === 'query');
      expect(inQuery.map((one) => one.name)).toEqual(Object.keys(operation.query?.shape ?? {}));
      expect(inQuery.find((one) => one.name === 'sort')?.schema.enum).toEqual(sortsOf(operation));
    },
  );
});
