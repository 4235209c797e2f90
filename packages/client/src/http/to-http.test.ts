import type { Operation } from '@berth/contracts/definition/contract';
import { contracts } from '@berth/contracts/resources/index';
import { describe, expect, test } from 'vitest';
import { httpOperation } from '../http-operation.ts';
import * as http from './to-http.ts';

const { bots, deployments, deploymentTasks, signingKeys } = contracts;
const callOf = (operation: Operation): http.HttpOperation => {
  const call = httpOperation(operation);
  if (!call) throw new Error(`${operation.name} has no route`);
  return call;
};
const toHttp = (operation: Operation, parts: http.RequestParts, options: Parameters<typeof http.toHttp>[2]) =>
  http.toHttp(callOf(operation), parts, options);
const isRepeatable = (operation: Operation): boolean => http.isRepeatable(callOf(operation));
const id = '6f1f3c0e-0b5f-4a1c-9d43-2f6a1b7f8c11';

describe('the HTTP request of an operation', () => {
  test('a read has the id in its path and no body', () => {
    expect(toHttp(bots.operations.get, { id }, {})).toEqual({
      method: 'GET',
      path: `/api/v2/bots/${id}`,
      headers: {},
      body: undefined,
    });
  });

  test('filters become a query string, an undefined one is left out, null selects rows without a value', () => {
    const query = { name: 'a&b', kind_id: undefined, cluster_id: null };

    expect(toHttp(deployments.operations.list, { query }, {}).path).toBe(
      '/api/v2/deployments?name=a%26b&cluster_id=null',
    );
  });

  test('ids become one parameter with commas, however they are given', () => {
    const ids = [id, '7c1f5c2d-3333-4333-8333-333333333333'];
    const pathOf = (query: Record<string, unknown>) =>
      decodeURIComponent(toHttp(deployments.operations.list, { query }, {}).path);

    expect(pathOf({ ids })).toBe(`/api/v2/deployments?ids=${ids.join()}`);
    expect(pathOf({ ids: ids.join() })).toBe(pathOf({ ids }));
  });

  test('a change carries its body as JSON and the ETag it is based on', () => {
    const request = toHttp(bots.operations.update, { id, body: { display_name: 'CI' } }, { ifMatch: '"1"' });

    expect(request).toMatchObject({
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'if-match': '"1"' },
      body: '{"display_name":"CI"}',
    });
  });

  test('an id that contains a slash stays one path segment', () => {
    expect(toHttp(bots.operations.get, { id: '../users' }, {}).path).toBe('/api/v2/bots/..%2Fusers');
  });

  test('a well-known document is outside the API prefix', () => {
    expect(toHttp(signingKeys.operations.list, {}, {}).path).toBe('/.well-known/jwks.json');
  });
});

test('reads and creations are repeatable, updates and deletions are not', () => {
  const { create, get, list, update, delete: remove } = deployments.operations;

  expect([create, get, list, update, remove, deploymentTasks.operations.retry].map(isRepeatable)).toEqual([
    true,
    true,
    true,
    false,
    false,
    true,
  ]);
});
