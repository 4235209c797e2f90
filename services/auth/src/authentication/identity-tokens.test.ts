import type { UserIdentity } from '@berth/shared/access/identity';
import { expect, test } from 'vitest';
import { createIdentityTokens } from './identity-tokens.ts';

const ada: UserIdentity = {
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

test('steady traffic of one identity is signed once in half a minute', async () => {
  const time = { ms: 0 };
  const tokenOf = tokensAt(time);

  expect(await Promise.all([tokenOf(ada), tokenOf({ ...ada })])).toEqual(['signature 1', 'signature 1']);
  time.ms = 29_999;
  expect(await tokenOf(ada)).toBe('signature 1');
  time.ms = 30_000;
  expect(await tokenOf(ada)).toBe('signature 2');
});

test('a changed identity is signed at once', async () => {
  const tokenOf = tokensAt({ ms: 0 });

  expect(await tokenOf(ada)).toBe('signature 1');
  expect(await tokenOf({ ...ada, is_admin: true })).toBe('signature 2');
});

test('a signature that failed is not remembered', async () => {
  let failing = true;
  const signIdentity = async () => {
    if (failing) throw new Error('no entropy');
    return 'signed';
  };
  const tokenOf = createIdentityTokens({ signer: () => ({ kid: 'k', key: new Uint8Array(), signIdentity }) });

  await expect(tokenOf(ada)).rejects.toThrow('no entropy');
  failing = false;

  await expect(tokenOf(ada)).resolves.toBe('signed');
});
