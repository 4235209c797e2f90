import { expect, test } from 'vitest';
import { resources } from '@berth/contracts/resources/index';
import { envs } from '@berth/contracts/resources/envs/envs';
import { examples } from '@berth/contracts/openapi/examples';
import { sampleOf } from '@berth/testing/contracts/sample-of';
import { etagOf } from '../etag.ts';
import { bytesOf, valueOf } from '../wire/wire-answer.ts';
import { answersRow } from '@berth/contracts/definition/contract';
import { writerOf } from './write-answer.ts';

const operations = resources.flatMap((resource) =>
  Object.values(resource.operations).map(
    (operation) => [`${operation.resource}.${operation.name}`, operation, resource] as const,
  ),
);

test.for(operations)('the answer of %s has the bytes of its parsed value and the tag of its row', (one) => {
  const [name, operation, resource] = one;
  const write = writerOf(operation, resource);
  for (const answer of [sampleOf(operation.response), examples[name]?.answer]) {
    const { success, data: parsed } = operation.response.safeParse(answer);
    // The sample of a few schemas has the right types but breaks a rule, and not all operations have an example.
    if (!success) continue;

    const written = write(answer);

    const { json, etag } = bytesOf(written, name);
    expect(Buffer.from(json).toString()).toBe(JSON.stringify(parsed));
    expect(etag).toBe(answersRow(operation, resource) ? etagOf(resource, parsed as object) : null);
    expect(valueOf(written, name)).toEqual(parsed);
  }
});

const env = {
  id: '0b8a6b0e-0000-4000-8000-000000000001',
  created_at: '2026-01-02T03:04:05.678Z',
  name: 'harbour',
  node_selector: null,
  tolerations: null,
  auto_add_new_users: false,
};
const pageOf = (items: readonly unknown[]) => ({ page: 1, per_page: 50, items, num_total: items.length });

test.for([
  ['an unknown field', { ...env, secret_hash: 'hunter2' }],
  ['an unknown field in an item of its list', pageOf([env, { ...env, secret_hash: 'hunter2' }])],
  ['an unknown field beside its list', { ...pageOf([env]), secret_hash: 'hunter2' }],
  ['a field of another type', { ...env, name: { secret_hash: 'hunter2' } }],
  ['an item of another type', pageOf([env, 'hunter2'])],
  ['a missing field', { ...env, name: undefined }],
  ['no row', 'hunter2'],
] as const)('an answer with %s is not sent, and the error does not quote it', ([, answer]) => {
  const { get, list } = envs.operations;
  const write = writerOf(typeof answer === 'object' && 'items' in answer ? list : get, envs);

  let refusal = '';
  try {
    write(answer);
  } catch (error) {
    refusal = String(error);
  }

  expect(refusal).toMatch(/^Bug: envs\.(?:get|list) sent an answer that breaks its contract/);
  expect(refusal).not.toContain('hunter2');
});

test('an answer that exceeds the size of a message is refused as too large', () => {
  const items = Array.from({ length: 100 }, () => ({ ...env, name: 'x'.repeat(32_000) }));

  expect(() => writerOf(envs.operations.list, envs)(pageOf(items))).toThrow('The answer is too large');
});

test("the value's bytes are extracted from an answer unchanged, whatever they contain", () => {
  for (const value of ['","value":', '{"ok":false}', 'ä € 😀 \u2028', '"\\'.repeat(100), 'x'.repeat(100_000)]) {
    const bytes = Buffer.from(`{"ok":true,"value":${JSON.stringify(value)}}`);
    const tagged = Buffer.from(`{"ok":true,"etag":"a-tag_0","value":${JSON.stringify(value)}}`);

    expect(Buffer.from(bytesOf(bytes, 'x').json).toString()).toBe(JSON.stringify(value));
    expect(Buffer.from(bytesOf(tagged, 'x').json).toString()).toBe(JSON.stringify(value));
    expect(bytesOf(tagged, 'x').etag).toBe('"a-tag_0"');
    expect([valueOf(bytes, 'x'), valueOf(tagged, 'x')]).toEqual([value, value]);
  }
});

test('an answer in another notation is read, without its tag', () => {
  const bytes = Buffer.from('{ "value": [1], "etag": "a", "ok": true }');

  expect(Buffer.from(bytesOf(bytes, 'x').json).toString()).toBe('[1]');
  expect(bytesOf(bytes, 'x').etag).toBeNull();
  expect(() => bytesOf(Buffer.from('{"ok":true'), 'x')).toThrow('not JSON');
  expect(() => bytesOf(Buffer.from('{"ok":false,"error":{"code":"stale","detail":"no"}}'), 'x')).toThrow('no');
});
