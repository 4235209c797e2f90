import { expect, test } from 'vitest';
import { resources } from '../../../contracts/index.ts';
import { examples } from '../../../contracts/openapi/examples.ts';
import { sampleOf } from '../../../testing/contracts/sample-of.ts';
import { etagOf } from '../etag.ts';
import { bytesOf, valueOf } from '../wire/wire-answer.ts';
import { answersRow } from '../../../contracts/definition/contract.ts';
import { writerOf } from './write-answer.ts';

const operations = resources.flatMap((resource) =>
  Object.values(resource.operations).map(
    (operation) => [`${operation.resource}.${operation.name}`, operation, resource] as const,
  ),
);

test.for(operations)('the answer of %s has the bytes of its parsed value, and the tag of its row', (one) => {
  const [name, operation, resource] = one;
  const write = writerOf(operation, resource);
  for (const answer of [sampleOf(operation.response), examples[name]?.answer]) {
    const { success, data: parsed } = operation.response.safeParse(answer);
    // Of a few schemas the sample only has the right types, and not all operations have an example.
    if (!success) continue;

    const written = write(answer);

    const { json, etag } = bytesOf(written, name);
    expect(Buffer.from(json).toString()).toBe(JSON.stringify(parsed));
    expect(etag).toBe(answersRow(operation, resource) ? etagOf(resource, parsed as object) : null);
    expect(valueOf(written, name)).toEqual(parsed);
  }
});

test('the bytes of an answer are those between what surrounds it, whatever they hold', () => {
  for (const value of ['","value":', '{"ok":false}', 'ä € 😀 \u2028', '"\\'.repeat(100), 'x'.repeat(100_000)]) {
    const bytes = Buffer.from(`{"ok":true,"value":${JSON.stringify(value)}}`);
    const tagged = Buffer.from(`{"ok":true,"etag":"a-tag_0","value":${JSON.stringify(value)}}`);

    expect(Buffer.from(bytesOf(bytes, 'x').json).toString()).toBe(JSON.stringify(value));
    expect(Buffer.from(bytesOf(tagged, 'x').json).toString()).toBe(JSON.stringify(value));
    expect(bytesOf(tagged, 'x').etag).toBe('"a-tag_0"');
    expect([valueOf(bytes, 'x'), valueOf(tagged, 'x')]).toEqual([value, value]);
  }
});

test('an answer that is written in another way is read, without its tag', () => {
  const bytes = Buffer.from('{ "value": [1], "etag": "a", "ok": true }');

  expect(Buffer.from(bytesOf(bytes, 'x').json).toString()).toBe('[1]');
  expect(bytesOf(bytes, 'x').etag).toBeNull();
  expect(() => bytesOf(Buffer.from('{"ok":true'), 'x')).toThrow('not JSON');
  expect(() => bytesOf(Buffer.from('{"ok":false,"error":{"code":"stale","detail":"no"}}'), 'x')).toThrow('no');
});
