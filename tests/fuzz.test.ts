import { type Operation, changesRows, type Resource, successStatus } from '@berth/contracts/definition/contract';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { resources } from '@berth/contracts/resources/index';
import { openApiDocument } from '@berth/contracts/openapi/openapi';
import { type ErrorCode, errorCodes, isErrorCode } from '@berth/contracts/errors';
import * as fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type FuzzedPlatform, fuzzedCallers } from './setup/fuzz/fuzzed-callers.ts';
import { type Documented, requestOf } from './setup/fuzz/request-of.ts';
import type { Vocabulary } from './setup/fuzz/value-of.ts';
import { type Platform, startPlatform } from './setup/platform.ts';

/** Set another seed to try other requests: `FUZZ_SEED=7 npm test -- tests/fuzz.test.ts`. */
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
/** Requests per operation and caller; only one for HEAD and PATCH, which are aliases. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 3);

let platform: Platform;
let fuzzed: FuzzedPlatform;
beforeAll(async () => {
  // Limits are tested elsewhere.
  const unlimited = { REQUESTS_PER_MINUTE: '0', ANONYMOUS_REQUESTS_PER_MINUTE: '0', SIGN_INS_PER_MINUTE: '0' };
  platform = await startPlatform({
    overrides: { 'api-gateway': { ...unlimited, FAILED_CREDENTIALS_PER_MINUTE: '0' } },
  });
  fuzzed = await fuzzedCallers(platform);
});
afterAll(() => platform[Symbol.asyncDispose]());

const document = openApiDocument(resources, { version: '1' });
const member = (value: JsonValue | undefined, ...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((node, name) => (isJsonObject(node) ? node[name] : undefined), value);
const entriesOf = (value: JsonValue | undefined): [string, JsonValue][] =>
  isJsonObject(value)
    ? Object.entries(value).flatMap(([k, v]) => (v === undefined ? [] : [[k, v] as [string, JsonValue]]))
    : [];

interface Fuzzed extends Documented {
  name: string;
  statuses: ReadonlySet<number>;
  operation: Operation;
  resource: Resource;
}

const byName = new Map(
  resources.flatMap((resource) =>
    Object.values<Operation>(resource.operations).map((operation) => [
      `${resource.name}.${operation.name}`,
      { resource, operation },
    ]),
  ),
);

const DocumentedOperation = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), schema: z.json() })).default([]),
  responses: z.record(z.string(), z.unknown()),
});

const operations: Fuzzed[] = entriesOf(member(document, 'paths')).flatMap(([path, methods]) =>
  entriesOf(methods).map(([method, documented]) => {
    const { operationId: name, parameters, responses } = DocumentedOperation.parse(documented);
    const found = byName.get(name.replace(/\.(head|patch)$/, ''));
    if (!found) throw new Error(`${name} is in no contract`);
    return {
      ...found,
      name,
      path,
      method,
      parameters,
      body: member(documented, 'requestBody', 'content', 'application/json', 'schema'),
      statuses: new Set(Object.keys(responses).map(Number)),
    };
  }),
);

const Problem = z.strictObject({
  type: z.string().startsWith('urn:berth:error:'),
  title: z.string().min(1),
  status: z.number(),
  detail: z.string().min(1),
  message: z.string(),
  code: z.custom<ErrorCode>(isErrorCode),
  request_id: z.string().min(1),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});

/** A stack trace, SQL, a constraint, a path of this machine. */
const internals =
  /\n\s+at |node_modules|\.ts:\d|violates|duplicate key|\bselect .+ from\b|\binsert into\b|_pkey\b|_fkey\b|pg_|slonik|zod/i;

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Why an answer is wrong; null if it is right. */
function flawOf({ operation, method, statuses }: Fuzzed, { status, headers, text }: Answer): string | null {
  if (status >= 500 && !(status === 503 && headers.has('retry-after'))) return 'a server error';
  if (!statuses.has(status)) return 'an undocumented status';
  const secret = fuzzed.secrets.find((one) => text.includes(one));
  if (secret !== undefined) return 'an answer with a secret';
  if (method === 'head') return text === '' ? null : 'an answer to HEAD with a body';
  if (status >= 400) {
    if (
      headers.get('content-type') !== 'application/problem+json; charset=utf-8' &&
      headers.get('content-type') !== 'application/problem+json'
    )
      return `a refusal as ${headers.get('content-type')}`;
    const problem = Problem.safeParse(JSON.parse(text));
    if (!problem.success) return `a refusal that is not a problem document: ${problem.error.message}`;
    if (problem.data.status !== status || errorCodes[problem.data.code] !== status)
      return 'a problem of another status';
    return internals.test(text) ? 'a refusal with internals' : null;
  }
  if (status !== successStatus(operation)) return 'another success than the documented one';
  if (operation.produces !== undefined) return null;
  if (status === 204) return text === '' ? null : 'a body where none is documented';
  const answer = operation.response.safeParse(JSON.parse(text));
  return answer.success ? null : `an answer unlike its contract: ${answer.error.message}`;
}

/** Reads an answer; only the head of a stream. */
async function send(method: string, path: string, init: RequestInit, isStream: boolean): Promise<Answer> {
  const response = await fetch(`${platform.stack.url}${path}`, { ...init, method: method.toUpperCase() });
  const { status, headers } = response;
  if (isStream && status === 200) {
    await response.body?.cancel();
    return { status, headers, text: '' };
  }
  return { status, headers, text: await response.text() };
}

/** The ids of all rows that the site admin can list, with the fields and paths in which they belong. */
async function vocabulary(): Promise<Vocabulary> {
  const idsIn: Record<string, string[]> = {};
  const add = (name: string, ids: readonly string[]) => {
    const free = ids.filter((id) => !fuzzed.spared.has(id));
    if (free.length > 0) idsIn[name] = [...new Set([...(idsIn[name] ?? []), ...free])].toSorted();
  };
  const lists = operations.filter(({ name, method }) => name.endsWith('.list') && method === 'get');
  for (const { path } of lists) {
    const { text } = await send('get', path, { headers: fuzzed.callers['siteAdmin'] ?? {} }, false);
    for (const [, field = '', id = ''] of text.matchAll(/"(\w*id)":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g)) {
      if (field !== 'id') add(field, [id]);
      // The row itself: `/envs/{id}` and below.
      else for (const one of operations) if (one.path.startsWith(`${path}/{id}`)) add(one.path, [id]);
    }
  }
  return {
    ids: [...new Set(Object.values(idsIn).flat())].toSorted(),
    idsIn,
    schemas: member(document, 'components', 'schemas') as JsonObject,
  };
}

const isAlias = ({ method }: Fuzzed): boolean => method === 'head' || method === 'patch';

const denied = new Map<string, number>();
/** What was created or deleted, and the id of the request. */
const changes = new Map<string, { name: string; requestId: string }>();

describe('requests made from the contracts', () => {
  test(`never get a server error, an undocumented answer or a leak, from any caller (seed ${seed})`, async () => {
    const words = await vocabulary();
    const answers: Record<number, number> = {};

    const tryOne = async (one: Fuzzed): Promise<void> => {
      await fc.assert(
        fc.asyncProperty(requestOf(one, words), async ({ path, headers, body }) => {
          for (const [caller, credential] of Object.entries(fuzzed.callers)) {
            const init = { headers: { ...headers, ...credential }, ...(body !== undefined && { body }) };
            const answer = await send(one.method, path, init, one.operation.produces !== undefined);
            note(one, caller, path, answer, headers['idempotency-key'] !== undefined);
            answers[answer.status] = (answers[answer.status] ?? 0) + 1;
            const flaw = flawOf(one, answer);
            if (flaw !== null) {
              throw new Error(
                `${one.name} answered ${caller} with ${flaw}: ${answer.status} ${answer.text.slice(0, 1_000)}\n` +
                  `${one.method.toUpperCase()} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 2_000) ?? ''}`,
              );
            }
          }
        }),
        { seed, numRuns: isAlias(one) ? 1 : runs, endOnFailure: true },
      );
    };
    const outcomes: PromiseSettledResult<void>[] = [];
    const queue = [...operations];
    const worker = async () => {
      for (let one = queue.shift(); one; one = queue.shift())
        outcomes.push(...(await Promise.allSettled([tryOne(one)])));
    };
    await Promise.all([worker(), worker(), worker(), worker()]);

    const flaws = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [reasonOf(outcome.reason)] : []));
    expect(flaws.join('\n\n')).toBe('');
    // The requests are diverse: every kind of answer occurs.
    expect(Object.keys(answers)).toEqual(
      expect.arrayContaining(['200', '201', '204', '400', '401', '403', '404', '415', '422']),
    );
  }, 180_000);

  test('leave an audit event for each creation, each deletion, and each denied attempt', async () => {
    // A stopping service writes the denied attempts that it has counted.
    for (const name of ['auth', 'tasks', 'cluster-sync', 'registry-scan'] as const)
      await platform.stack.part(name).stop();
    const parts = await Promise.all(['auth', 'tasks', 'cluster_sync', 'registry_scan'].map(auditLogOf));
    const rows = parts.flat();

    const recorded = new Map<string, number>();
    for (const { actor_id, result, times } of rows.filter((row) => row.result === 'denied')) {
      if (result === 'denied' && actor_id) recorded.set(actor_id, (recorded.get(actor_id) ?? 0) + times);
    }
    const requests = new Set(rows.map(({ request_id }) => request_id));
    expect(denied.size).toBeGreaterThan(4);
    expect(recorded).toEqual(denied);
    const unrecorded = [...changes.values()].filter(({ requestId }) => !requests.has(requestId));
    expect(unrecorded.map(({ name }) => name)).toEqual([]);
    expect(fuzzed.secrets.filter((secret) => JSON.stringify(rows).includes(secret))).toEqual([]);
  });
});

interface Row {
  actor_id: string | null;
  result: string;
  times: number;
  request_id: string;
  details: unknown;
}

/** The message of fast-check, which has the seed and the request. */
const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? [error.message, error.cause instanceof Error ? error.cause.message : ''].join('\n')
    : String(error);

async function auditLogOf(schema: string): Promise<Row[]> {
  const client = new Client({ connectionString: platform.stack.databaseUrls[schema] });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(
      `select actor_id, result, times, request_id, details from ${schema}.audit_log`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

function note(
  { name, operation, resource }: Fuzzed,
  caller: string,
  path: string,
  { status, headers }: Answer,
  isRepeatable: boolean,
): void {
  const id = fuzzed.ids[caller];
  if (status === 403 && id !== undefined) denied.set(id, (denied.get(id) ?? 0) + 1);
  if (!changesRows(operation, resource)) return;
  const requestId = headers.get('x-request-id') ?? '';
  // A second deletion and a repeated request do not change anything.
  if (status === 204 && !changes.has(path)) changes.set(path, { name, requestId });
  if (status === 201 && !isRepeatable) changes.set(`${name} ${requestId}`, { name, requestId });
}
