import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal, unseal, unsealWithAny } from './seal.ts';

const key = randomBytes(32);

test('a sealed value opens with the same key and binding', () => {
  expect(unseal(key, 'kid-1', seal(key, 'kid-1', 'a private key')).toString()).toBe('a private key');
});

test('the same value is sealed differently each time', () => {
  expect(seal(key, 'kid-1', 'a private key')).not.toEqual(seal(key, 'kid-1', 'a private key'));
});

test.for([
  ['with another key', (sealed: Buffer) => unseal(randomBytes(32), 'kid-1', sealed)],
  ['in another row', (sealed: Buffer) => unseal(key, 'kid-2', sealed)],
  [
    'after a change',
    (sealed: Buffer) =>
      unseal(key, 'kid-1', Buffer.concat([sealed.subarray(0, -1), Buffer.from([0xff ^ (sealed.at(-1) ?? 0)])])),
  ],
  ['when it is truncated', (sealed: Buffer) => unseal(key, 'kid-1', sealed.subarray(0, 20))],
] as const)('a sealed value does not open %s', ([, open]) => {
  const sealed = seal(key, 'kid-1', 'a private key');

  expect(() => open(sealed)).toThrow(/authenticat|tag/i);
});

test('a sealed value opens if one of several keys fits, otherwise not', () => {
  const sealed = seal(key, 'kid-1', 'a private key');

  expect(unsealWithAny([randomBytes(32), key], 'kid-1', sealed).toString()).toBe('a private key');
  expect(() => unsealWithAny([randomBytes(32), randomBytes(32)], 'kid-1', sealed)).toThrow(/authenticat|tag/i);
  expect(() => unsealWithAny([], 'kid-1', sealed)).toThrow('no key');
});
