import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GatewayProcess, startGatewayProcess } from '@berth/devstack/testing/gateway-process';
import { startTcpProxy, type TcpProxy } from '@berth/testing/network/tcp-proxy';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newApiToken } from '../../src/tokens/api-token.ts';
import { createUserTokenRepository } from '../../src/tokens/user-token-repository.ts';
import { createIdentityLeaseRepository } from '../../src/identity-leases/identity-lease-repository.ts';
import { startAuthProcess } from '../support/auth-process.ts';
import { type AuthUnderTest, startAuth } from '../support/auth-under-test.ts';
import { somebot } from '../support/bots-and-deployments.ts';
import { newEnv, type Somebody, somebody } from '../support/people.ts';
import { inStore } from '../support/in-store.ts';

/**
 * Three gateway processes with identity leases. Requests use a right continuously while it is removed, so the gateways' cached
 * identities are always fresh.
 */
const servers = new AsyncDisposableStack();
/** Without it, requests past the quota would be refused for the wrong reason. */
const unlimited = { REQUESTS_PER_MINUTE: '0' };
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let auth: AuthUnderTest;
let admin: Somebody;
let proxy: TcpProxy;
let first: GatewayProcess;
let second: GatewayProcess;
/** The gateway whose connection to NATS can be cut off. */
let third: GatewayProcess;

beforeAll(async () => {
  auth = servers.use(await startAuth());
  admin = await somebody(auth, { is_admin: true });
  proxy = servers.use(await startTcpProxy(auth.nats.url));
  const { password } = auth.nats;
  const started = await Promise.all(
    [auth.nats, auth.nats, { url: proxy.url, password }].map((nats) => startGatewayProcess(nats, unlimited)),
  );
  for (const gateway of started) servers.use(gateway);
  [first, second, third] = started as [GatewayProcess, GatewayProcess, GatewayProcess];
});
afterAll(async () => {
  agent.destroy();
  await servers.disposeAsync();
});

interface Use {
  path: string;
  headers: Record<string, string>;
}

interface Sent extends Use {
  method?: string;
  body?: object;
}

/** The status of an answer; 0 if none arrived. */
const send = ({ url }: GatewayProcess, { path, headers, method = 'GET', body }: Sent): Promise<number> =>
  new Promise((resolve) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(`${url}/api/v2${path}`, { agent, method, headers: { ...headers, ...json } }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(0));
    });
    sent.once('error', () => resolve(0));
    sent.end(body && JSON.stringify(body));
  });

/** A small part of the second for which an identity may be reused, so that the cached one is always fresh. */
const betweenRequestsMs = 5;

/** Sends one request after another to each gateway until it is disposed of. */
function trafficOf(gateways: GatewayProcess[], use: Use): AsyncDisposable {
  const over = new AbortController();
  const loops = gateways.map(async (gateway) => {
    while (!over.signal.aborted) {
      await send(gateway, use);
      await sleep(betweenRequestsMs);
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all(loops);
    },
  };
}

const reusedBy = async (gateway: GatewayProcess): Promise<number> =>
  Number(/^berth_identity_lookups_total\{from="lease"\} (\d+)/m.exec(await gateway.metrics())?.[1] ?? 0);

/** Resolves once each gateway has used the right without a call to auth. */
async function untilReused(gateways: GatewayProcess[]): Promise<void> {
  const before = await Promise.all(gateways.map(reusedBy));
  for (const [n, gateway] of gateways.entries())
    await expect.poll(() => reusedBy(gateway)).toBeGreaterThan(before[n] ?? 0);
}

/** Sends requests, sixteen at a time to each gateway; returns how many succeed. */
async function successesOf(gateways: GatewayProcess[], use: Use, each: number): Promise<number> {
  let left = each * gateways.length;
  let successes = 0;
  const senders = gateways.flatMap((gateway) =>
    Array.from({ length: 16 }, async () => {
      while (left > 0) {
        left -= 1;
        if ((await send(gateway, use)) === 200) successes += 1;
      }
    }),
  );
  await Promise.all(senders);
  return successes;
}

/** Repeats a change until it is answered, as clients do. */
async function untilAnswered(change: Sent): Promise<number> {
  const end = performance.now() + 40_000;
  for (;;) {
    const status = await send(first, change);
    if (status > 0 && status < 500) return status;
    if (performance.now() > end) throw new Error(`the last answer to the change was ${status}`);
    await sleep(20);
  }
}

const asAdmin = () => ({ authorization: `Bearer ${admin.jwt}` });
const me = (token: string): Use => ({ path: '/auth/me', headers: { 'x-service-token': token } });

async function newToken() {
  const user = await somebody(auth);
  const { id, secretHash, text } = newApiToken();
  await inStore(auth.db, ({ userTokens }) =>
    userTokens.insert({ id, user_id: user.id, name: null, expires_at: null, secretHash }),
  );
  const revoke: Sent = { method: 'DELETE', path: `/user-tokens/${id}`, headers: asAdmin() };
  return { id, user, use: me(text), revoke };
}

const isRevoked = async (id: string): Promise<boolean> =>
  (await createUserTokenRepository(auth.db).find(id, 'all')) === null;

describe('a change of rights applies to every request that starts after the answer', () => {
  test.for([
    ['a user whose token was revoked', newToken],
    [
      'a user who was deactivated',
      async () => {
        const { user, use } = await newToken();
        return {
          use,
          revoke: { method: 'PUT', path: `/users/${user.id}`, body: { is_active: false }, headers: asAdmin() },
        };
      },
    ],
    [
      'a session of a user who was deactivated',
      async () => {
        const { id, jwt } = await somebody(auth);
        const use = { path: '/auth/me', headers: { authorization: `Bearer ${jwt}` } };
        return { use, revoke: { method: 'PUT', path: `/users/${id}`, body: { is_active: false }, headers: asAdmin() } };
      },
    ],
    [
      'a user who is no longer a site admin',
      async () => {
        const { id, jwt } = await somebody(auth, { is_admin: true });
        const use = { path: '/bot-tokens', headers: { authorization: `Bearer ${jwt}` } };
        return { use, revoke: { method: 'PUT', path: `/users/${id}`, body: { is_admin: false }, headers: asAdmin() } };
      },
    ],
    [
      'a bot that was deactivated',
      async () => {
        const { id, token } = await somebot(auth);
        return {
          use: me(token),
          revoke: { method: 'PUT', path: `/bots/${id}`, body: { is_active: false }, headers: asAdmin() },
        };
      },
    ],
    [
      'a bot that was deleted',
      async () => {
        const { id, token } = await somebot(auth);
        return { use: me(token), revoke: { method: 'DELETE', path: `/bots/${id}`, headers: asAdmin() } };
      },
    ],
    [
      'a member who was removed',
      async () => {
        const [env, user] = [await newEnv(auth.db), await somebody(auth)];
        const member = { env_id: env.id, user_id: user.id, role: 'User' as const };
        const { id } = await inStore(auth.db, ({ envMembers }) => envMembers.insert(member));
        const use = { path: `/envs/${env.id}`, headers: { authorization: `Bearer ${user.jwt}` } };
        return { use, revoke: { method: 'DELETE', path: `/env-user-permissions/${id}`, headers: asAdmin() } };
      },
    ],
  ] as const)('as %s', async ([, prepare]) => {
    const { use, revoke } = await prepare();
    expect(await send(first, use)).toBe(200);
    await using _traffic = trafficOf([first], use);
    await untilReused([first]);

    expect(await untilAnswered(revoke)).toBeLessThan(300);

    expect(await successesOf([first], use, 300)).toBe(0);
  });

  test('as a member with a new role', async () => {
    const [env, user] = [await newEnv(auth.db), await somebody(auth)];
    const use = { path: `/envs/${env.id}`, headers: { authorization: `Bearer ${user.jwt}` } };
    const body = { env_id: env.id, user_id: user.id, role: 'User' };
    await using _traffic = trafficOf([first, second], use);
    await untilReused([first, second]);

    expect(await untilAnswered({ method: 'POST', path: '/env-user-permissions', body, headers: asAdmin() })).toBe(201);

    expect(await successesOf([first, second], use, 100)).toBe(200);
  });
});

describe('thousands of requests that start after the answer to a revocation are all refused', () => {
  let token: Awaited<ReturnType<typeof newToken>>;
  beforeEach(async () => {
    token = await newToken();
  });

  test('at three gateways', async () => {
    const { use, revoke } = token;
    const all = [first, second, third];
    await using _traffic = trafficOf(all, use);
    await untilReused(all);

    expect(await untilAnswered(revoke)).toBe(204);

    expect(await successesOf(all, use, 1_000)).toBe(0);
  });

  test('when a gateway was paused during the change', async () => {
    const { use, revoke } = token;
    await using _traffic = trafficOf([first, second], use);
    await untilReused([second]);
    process.kill(second.pid, 'SIGSTOP');

    const answered = await untilAnswered(revoke).finally(() => process.kill(second.pid, 'SIGCONT'));

    expect(answered).toBe(204);
    expect(await successesOf([second, first], use, 1_000)).toBe(0);
  });

  test('when requests wait at a gateway that stays paused until after the answer', async () => {
    const { use, revoke } = token;
    await using _traffic = trafficOf([second], use);
    await untilReused([second]);
    process.kill(second.pid, 'SIGSTOP');
    const waiting = untilAnswered(revoke).then((status) => ({ status, successes: successesOf([second], use, 200) }));
    const { status, successes } = await waiting.finally(() => process.kill(second.pid, 'SIGCONT'));

    expect(status).toBe(204);
    expect(await successes).toBe(0);
  });

  test('when a gateway was cut off from NATS during the change', async () => {
    const { use, revoke } = token;
    {
      await using _traffic = trafficOf([third], use);
      await untilReused([third]);
    }
    proxy.silence();

    const answered = await untilAnswered(revoke);
    await proxy.restore();

    expect(answered).toBe(204);
    expect(await successesOf([third], use, 1_000)).toBe(0);
    expect(await untilAnswered({ path: '/server', headers: {} })).toBe(200);
  });

  test('when auth is killed after the commit and the change is repeated', async () => {
    const { id, use, revoke } = token;
    const all = [first, second, third];
    await using _traffic = trafficOf(all, use);
    await untilReused([second]);
    // The paused gateway does not confirm, so the change waits.
    process.kill(second.pid, 'SIGSTOP');
    const unanswered = send(first, revoke);
    await expect.poll(() => isRevoked(id), { interval: 5 }).toBe(true);
    await auth.service.stop('SIGKILL');
    process.kill(second.pid, 'SIGCONT');
    const restarted = startAuthProcess(auth.settings);
    servers.defer(async () => (await restarted)[Symbol.asyncDispose]());

    const answered = await untilAnswered(revoke);

    expect(answered).toBe(404);
    expect(await successesOf(all, use, 400)).toBe(0);
    expect(await unanswered).toBeGreaterThanOrEqual(500);
  });

  test('when NATS is restarted after the commit and the change is repeated', async () => {
    const { id, use, revoke } = token;
    const all = [first, second, third];
    await using _traffic = trafficOf(all, use);
    await untilReused([second]);
    process.kill(second.pid, 'SIGSTOP');
    const unanswered = send(first, revoke);
    await expect.poll(() => isRevoked(id), { interval: 5 }).toBe(true);
    await auth.nats.stop();
    process.kill(second.pid, 'SIGCONT');
    await auth.nats.start();

    const answered = await untilAnswered(revoke);

    expect(answered).toBe(404);
    expect(await successesOf(all, use, 400)).toBe(0);
    await unanswered;
  });
});

test('a gateway that shuts down gives up its lease, so that no change waits for it', async () => {
  const { use } = await newToken();
  const holders = async () => (await createIdentityLeaseRepository(auth.db).holders()).map((holder) => holder.gateway);
  const before = await holders();
  const gateway = await startGatewayProcess(auth.nats, unlimited);
  {
    await using _traffic = trafficOf([gateway], use);
    await untilReused([gateway]);
  }
  // Other gateways may have taken leases again meanwhile.
  const added = (await holders()).filter((name) => !before.includes(name));
  const leftOfAdded = async () => (await holders()).filter((name) => added.includes(name)).length;
  expect(added.length).toBeGreaterThan(0);

  process.kill(gateway.pid, 'SIGTERM');

  await expect.poll(leftOfAdded).toBe(added.length - 1);
  await gateway[Symbol.asyncDispose]();
});

test('a gateway without leases calls auth for each request', async () => {
  const { use, revoke } = await newToken();
  await using gateway = await startGatewayProcess(auth.nats, { ...unlimited, IDENTITY_LEASE_MS: '0' });
  for (let n = 0; n < 20; n++) expect(await send(gateway, use)).toBe(200);

  expect(await reusedBy(gateway)).toBe(0);
  await untilAnswered(revoke);
  expect(await send(gateway, use)).toBe(401);
});
