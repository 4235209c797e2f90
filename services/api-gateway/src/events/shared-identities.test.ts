import { AppError } from '@berth/contracts/errors';
import { sampleIdentities } from '@berth/testing/test-identities';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createSharedIdentities } from './shared-identities.ts';

const { envUser } = sampleIdentities;

const requestWith = (token: string) => ({ headers: { 'x-service-token': token } }) as unknown as FastifyRequest;

function shared({
  maxAgeMs = 60_000,
  outageMs = 60_000,
  fail,
}: {
  maxAgeMs?: number;
  outageMs?: number;
  fail?: () => AppError | undefined;
} = {}) {
  const authenticated: unknown[] = [];
  const share = createSharedIdentities({
    maxAgeMs,
    outageMs,
    bus: { identify: async () => envUser },
    authenticate: async ({ headers }) => {
      authenticated.push(headers['x-service-token']);
      const error = fail?.();
      if (error) throw error;
      return { identity: { kind: 'user', id: envUser.id }, identity_token: 'token' };
    },
  });
  return { share, authenticated };
}

test('streams of the same credential authenticate it once; another credential is authenticated separately', async () => {
  const { share, authenticated } = shared();
  const streams = [share(requestWith('a')), share(requestWith('a')), share(requestWith('b'))];

  const identities = await Promise.all(streams.map((stream) => stream.now()));
  await streams[0]?.now();

  expect(identities).toEqual([envUser, envUser, envUser]);
  expect(authenticated).toEqual(['a', 'b']);
});

test('an old identity is read again, and an identity without streams is dropped', async () => {
  const { share, authenticated } = shared({ maxAgeMs: 0 });
  const stream = share(requestWith('a'));
  await stream.now();
  await stream.now();
  expect(authenticated).toHaveLength(2);
  stream[Symbol.dispose]();

  const { share: keeping, authenticated: again } = shared();
  const first = keeping(requestWith('a'));
  await first.now();
  first[Symbol.dispose]();
  await keeping(requestWith('a')).now();

  expect(again).toHaveLength(2);
});

test('a stream outlives a short outage of auth, but not a refusal of its credential', async () => {
  let error: AppError | undefined;
  const { share } = shared({ maxAgeMs: 0, fail: () => error });
  const stream = share(requestWith('a'));
  await stream.now();

  error = new AppError('unavailable', 'auth is away');
  expect(await stream.now()).toBeNull();
  error = new AppError('user_inactive', 'This user is not active');
  await expect(stream.now()).rejects.toMatchObject({ code: 'user_inactive' });

  const impatient = shared({ maxAgeMs: 0, outageMs: 0, fail: () => new AppError('unavailable', 'auth is away') });
  await expect(impatient.share(requestWith('a')).now()).rejects.toMatchObject({ code: 'unavailable' });
});
