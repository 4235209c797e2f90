import { etagOf } from '@berth/bus/rpc/etag';
import { type Operation, type Resource, type ServiceName, serviceNames } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import type { JsonObject } from '@berth/contracts/fields/json';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleOf } from '@berth/testing/contracts/sample-of';
import { some, startTestGateway, type TestGateway, testAuth } from '../support/start-test-gateway.ts';

const id = '0b8a6b0e-0000-4000-8000-000000000001';
const readById = /^GET (\/[^:]*\/):id$/;

interface Read {
  path: string;
  resource: Resource;
  operation: Operation;
  row: JsonObject;
}

const reads: Read[] = resources.flatMap((resource) =>
  Object.values<Operation>(resource.operations)
    .filter(({ http }) => readById.test(http ?? ''))
    .map((operation) => ({
      path: (operation.http ?? '').replace(readById, `/api/v2$1${id}`),
      resource,
      operation,
      row: sampleOf(operation.response) as JsonObject,
    })),
);

/** Serves the reads of one owner, each of which returns the given row. */
const readsOf = (owner: ServiceName, as = (resource: Resource) => resource) =>
  reads
    .filter(({ resource }) => resource.owner === owner)
    .map(({ resource, operation, row }) =>
      some(as(resource), {
        [operation.name]: async (_request: unknown, { permit }: { permit: (row: object) => unknown }) => {
          if (operation.allow.on === 'row') permit(row);
          return isSpoiled ? { ...row, password: canary } : row;
        },
      }),
    );

const canary = 'canary-51c3a9e0';
let isSpoiled = false;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.serve('auth', testAuth());
  for (const owner of serviceNames) await gateway.serve(owner, ...readsOf(owner));
});
afterAll(() => gateway[Symbol.asyncDispose]());

test.for(reads.map((read) => [read.path, read] as const))(
  'GET and HEAD of %s carry the ETag of the row',
  async ([path, { resource, row }]) => {
    const got = await gateway.get(path);
    expect([got.status, await got.json()]).toEqual([200, row]);
    expect(got.headers.get('etag')).toMatch(/^"[\w-]{27}"$/);
    expect(got.headers.get('etag')).toBe(etagOf(resource, row));

    const head = await gateway.send('HEAD', path);
    expect(head.headers.get('etag')).toBe(got.headers.get('etag'));
  },
);

test.for(reads.map(({ path }) => path))('no answer of %s contains a field outside of the contract', async (path) => {
  isSpoiled = true;
  try {
    const response = await gateway.get(path);

    const text = await response.text();
    expect([response.status, text.includes(canary), text.includes(id)]).toEqual([500, false, false]);
  } finally {
    isSpoiled = false;
  }
});

test('the gateway computes the ETag if the owner sends none, as in the previous version', async () => {
  await using upgraded = await startTestGateway();
  await upgraded.serve('auth', testAuth());
  const untagged = ({ etag: _none, ...resource }: Resource): Resource => resource;
  for (const owner of serviceNames) await upgraded.serve(owner, ...readsOf(owner, untagged));

  for (const { path, resource, row } of reads) {
    const response = await upgraded.get(path);

    expect([response.status, response.headers.get('etag')], path).toEqual([200, etagOf(resource, row)]);
    expect(await response.json()).toEqual(row);
  }
});

test('the ETag of a token ignores last_used_at, while that of a tracked resource covers all its fields', () => {
  const tagOf = (name: string, changes: object) => {
    const read = reads.find(({ resource }) => resource.name === name);
    return read ? etagOf(read.resource, { ...read.row, ...changes }) : null;
  };

  for (const name of ['user_tokens', 'bot_tokens']) {
    expect(tagOf(name, { last_used_at: '2027-01-01T00:00:00Z' })).toBe(tagOf(name, {}));
    expect(tagOf(name, { name: 'other' })).not.toBe(tagOf(name, {}));
  }
  expect(tagOf('k8s_resources', { last_updated_at: '2027-01-01T00:00:00Z' })).not.toBe(tagOf('k8s_resources', {}));
});
