import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newApiToken } from '../tokens/api-token.ts';
import type { TokenRow } from './credential-repository.ts';
import { identityBehindDeployment, identityBehindSession, identityBehindToken } from './identity-behind.ts';

const token = newApiToken();
const userId = randomUUID();
const envId = randomUUID();
const packedEnv = Buffer.from(envId.replaceAll('-', ''), 'hex').toString('base64');

const tokenRow: TokenRow = {
  holder: 'user',
  holder_id: userId,
  secret_hash: token.secretHash,
  is_revoked: false,
  is_expired: false,
  expires_in_ms: null,
  use_is_due: false,
  is_active: true,
  is_admin: false,
  env_roles: { User: packedEnv },
  deployment_roles: [],
};
const wrong = { ...token, secretHash: newApiToken().secretHash };

describe('an API token', () => {
  test('authenticates its user with the current roles', () => {
    expect(identityBehindToken(token, tokenRow)).toEqual({
      kind: 'user',
      id: userId,
      is_admin: false,
      env_roles: { User: packedEnv },
      deployment_roles: [],
    });
  });

  test('authenticates its bot, which has no roles', () => {
    expect(identityBehindToken(token, { ...tokenRow, holder: 'bot' })).toEqual({ kind: 'bot', id: userId });
  });

  test.for([
    ['revoked', token, { is_revoked: true, is_expired: true, is_active: false }, 'token_revoked'],
    ['expired', token, { is_expired: true, is_active: false }, 'token_expired'],
    ['of an inactive user', token, { is_active: false }, 'user_inactive'],
    ['presented with a wrong secret', wrong, {}, 'unauthenticated'],
    ['revoked and presented with a wrong secret', wrong, { is_revoked: true }, 'unauthenticated'],
    ['expired and presented with a wrong secret', wrong, { is_expired: true }, 'unauthenticated'],
    ['of an inactive user and presented with a wrong secret', wrong, { is_active: false }, 'unauthenticated'],
  ] as const)('is refused when it is %s', ([, presented, change, code]) => {
    expect(() => identityBehindToken(presented, { ...tokenRow, ...change })).toThrow(expect.objectContaining({ code }));
  });

  test('is refused with the same message when it is unknown and when its secret is wrong', () => {
    const refusal = (row: TokenRow | null) => {
      try {
        return identityBehindToken(wrong, row);
      } catch (error) {
        return String(error);
      }
    };

    expect(refusal(null)).toBe(refusal(tokenRow));
  });

  test('with a hash of zeros does not match an unknown one', () => {
    const zeros = { id: token.id, secretHash: Buffer.alloc(32) };

    expect(() => identityBehindToken(zeros, null)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });
});

describe('a session', () => {
  const { is_active, is_admin, env_roles, deployment_roles } = tokenRow;
  const row = { id: userId, session_epoch: 2, is_active, is_admin, env_roles, deployment_roles };
  const session = { kind: 'session', userId, sessionEpoch: 2 } as const;

  test('authenticates its user', () => {
    expect(identityBehindSession(session, row)).toMatchObject({ kind: 'user', id: userId });
  });

  test.for([
    ['its user is inactive', session, { ...row, is_active: false, session_epoch: 3 }, 'user_inactive'],
    ['its user was deactivated since and is active again', session, { ...row, session_epoch: 3 }, 'token_revoked'],
    ['its user is unknown', session, null, 'unauthenticated'],
  ] as const)('is refused when %s', ([, presented, stored, code]) => {
    expect(() => identityBehindSession(presented, stored)).toThrow(expect.objectContaining({ code }));
  });
});

describe('the JWT of a deployment', () => {
  const id = randomUUID();
  const presented = { kind: 'deployment', deploymentId: id, envId } as const;

  test('authenticates the deployment in its env', () => {
    expect(identityBehindDeployment(presented, { id, env_id: envId, enabled: true })).toEqual({
      kind: 'deployment',
      id,
      env_id: envId,
    });
  });

  test.for([
    ['deleted', null],
    ['disabled', { id, env_id: envId, enabled: false }],
    ['in another env by now', { id, env_id: randomUUID(), enabled: true }],
  ] as const)('is refused when the deployment is %s', ([, row]) => {
    expect(() => identityBehindDeployment(presented, row)).toThrow(expect.objectContaining({ code: 'token_revoked' }));
  });
});
