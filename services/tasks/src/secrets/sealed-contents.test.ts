import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { BoundTo, SealedContents } from '../records/secret-record.ts';
import { createSecretKeys } from './secret-keys.ts';
import { KeyIsMissing, openContents, rewrap, sealContents } from './sealed-contents.ts';

const old = randomBytes(32);
const next = randomBytes(32);
const keys = createSecretKeys(old, []);
const row = { id: randomUUID(), env_id: randomUUID() };
const contents = ' tr\u00e8s secret \n\u{1f6a2}';
const sealed = sealContents(keys, row, contents);

test('the contents of a secret that are opened in their row equal the sealed ones', () => {
  expect(openContents(keys, { ...row, ...sealed })).toBe(contents);
});

test('the stored form contains neither the contents nor a key', () => {
  const stored = Buffer.concat([sealed.wrapped_key, sealed.sealed_contents, Buffer.from(sealed.key_id)]);

  expect(stored.includes(contents)).toBe(false);
  for (const key of [old, keys.current.wrapping]) expect(stored.includes(key)).toBe(false);
});

const foreign = sealContents(keys, { ...row, id: randomUUID() }, 'foreign');
test.for<[string, BoundTo & SealedContents]>([
  ['in another row', { ...row, ...sealed, id: randomUUID() }],
  ['in another env', { ...row, ...sealed, env_id: randomUUID() }],
  ['beside the data key of another row', { ...row, ...sealed, wrapped_key: foreign.wrapped_key }],
  ['with the data key in place of the contents', { ...row, ...sealed, sealed_contents: sealed.wrapped_key }],
  ['after a change of a bit', { ...row, ...sealed, sealed_contents: flipped(sealed.sealed_contents) }],
  ['after a change of a bit of the data key', { ...row, ...sealed, wrapped_key: flipped(sealed.wrapped_key) }],
  ['cut off', { ...row, ...sealed, sealed_contents: sealed.sealed_contents.subarray(0, 20) }],
])('the contents of a secret do not open %s', ([, stored]) => {
  expect(() => openContents(keys, stored)).toThrow(/authenticat|tag/i);
});

test('contents sealed under a key that is not configured fail with that reason', () => {
  const others = createSecretKeys(next, []);

  expect(() => openContents(others, { ...row, ...sealed })).toThrow(KeyIsMissing);
});

test('contents can be opened during a rotation of keys, and after it without the old key', () => {
  const both = createSecretKeys(next, [old]);
  expect(openContents(both, { ...row, ...sealed })).toBe(contents);

  const again = { ...row, ...sealed, ...rewrap(both, { ...row, ...sealed }) };

  expect(again.key_id).toBe(both.current.id);
  expect(openContents(createSecretKeys(next, []), again)).toBe(contents);
  expect(openContents(createSecretKeys(old, [next]), again)).toBe(contents);
});

test('digests of equal contents are equal only under the same key', () => {
  expect(keys.digest('a')).toBe(createSecretKeys(old, [next]).digest('a'));
  expect(keys.digest('a')).not.toBe(keys.digest('b'));
  expect(keys.digest('a')).not.toBe(createSecretKeys(next, [old]).digest('a'));
});

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const last = copy.length - 1;
  copy[last] = (copy[last] ?? 0) ^ 1;
  return copy;
}
