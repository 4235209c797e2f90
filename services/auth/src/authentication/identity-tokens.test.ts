import type { PackedUser } from '@berth/contracts/access/packed-identity';
import { expect, test } from 'vitest';
import { createIdentityTokens } from './identity-tokens.ts';

const ada: PackedUser = {
  kind: 'user',
  id: '6e6f7a5e-4f0f-4d6f-9a3e-1d2f3c4b5a69',
  is_admin: false,
  env_roles: {},
  deployment_roles: [],
};

function tokensAt(time: { ms: number }) {
  let signatures = 0;
  const signIdentity = async () => `signature ${++signatures}`;
  return createIdentityTokens({ signer: () => ({ kid: 'k', key: new Uint8Array(), signIdentity }) }, () => time.ms);
}

test('an identity token is reused for half a minute', async () => {
  const time = { ms: 0 };
  const tokenOf = tokensAt(time);

  expect(await Promise.all([tokenOf(ada, 'tasks'), tokenOf({ ...ada }, 'tasks')])).toEqual([
    'signature 1',
    'signature 1',
  ]);
  time.ms = 29_999;
  expect(await tokenOf(ada, 'tasks')).toBe('signature 1');
  time.ms = 30_000;
  expect(await tokenOf(ada, 'tasks')).toBe('signature 2');
});

test('a changed identity is signed at once', async () => {
  const tokenOf = tokensAt({ ms: 0 });

  expect(await tokenOf(ada, 'tasks')).toBe('signature 1');
  expect(await tokenOf({ ...ada, is_admin: true }, 'tasks')).toBe('signature 2');
});

test('a failed signing is not cached', async () => {
  let failing = true;
  const signIdentity = async () => {
    if (failing) throw new Error('no entropy');
    return 'signed';
  };
  const tokenOf = createIdentityTokens({ signer: () => ({ kid: 'k', key: new Uint8Array(), signIdentity }) });

  await expect(tokenOf(ada, 'tasks')).rejects.toThrow('no entropy');
  failing = false;

  await expect(tokenOf(ada, 'tasks')).resolves.toBe('signed');
});

test('each service gets its own identity token', async () => {
  const tokenOf = tokensAt({ ms: 0 });

  expect(await tokenOf(ada, 'tasks')).toBe('signature 1');
  expect(await tokenOf(ada, 'auth')).toBe('signature 2');
  expect(await tokenOf(ada, 'tasks')).toBe('signature 1');
});
