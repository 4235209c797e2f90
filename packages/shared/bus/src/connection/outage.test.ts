import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '@berth/contracts/errors';
import { boatHandlers, boats } from '@berth/testing/boats';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../bus.ts';
import { implement } from '../rpc/implement.ts';

const { echo, wait } = boats.operations;

let nats: TestNats;
let auth: Bus;
let tasks: Bus;

beforeEach(async () => {
  nats = await startTestNats({ resources: [boats] });
  [auth, tasks] = await Promise.all([connectTestBus(nats, 'auth'), connectTestBus(nats, 'tasks')]);
  auth.serve(implement(boats, boatHandlers({ aborts: 0 })));
  await auth.listening();
  await tasks.call(echo, { body: { text: '' } });
});

afterEach(async () => {
  await Promise.all([auth, tasks].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

const good = () => tasks.call(echo, { body: { text: 'good' } });

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

/** The error code of a call, which must fail without waiting. */
const codeAtOnce = (call: Promise<unknown>): Promise<unknown> => Promise.race([codeOf(call), someTurns()]);

async function someTurns(): Promise<string> {
  for (let n = 0; n < 10; n += 1) await nextTurn();
  return 'waits';
}

describe('when NATS is lost', () => {
  test('calls in flight fail before their deadline and new ones at once, and calls work again when NATS is back', async () => {
    const inFlight = tasks.call(wait, { body: { ms: 8_000 } }, { deadlineMs: 20_000 });
    const failed = codeOf(inFlight);
    await sleep(50);

    await nats.stop();

    expect(await failed).toBe('unavailable');
    await expect.poll(() => tasks.isConnected()).toBe(false);
    expect(await codeAtOnce(good())).toBe('unavailable');
    expect(await codeAtOnce(tasks.state.ensureStream())).toBe('unavailable');
    expect(tasks.isAlive()).toBe(true);

    await nats.start();
    await expect.poll(() => tasks.isConnected() && auth.isConnected()).toBe(true);
    await expect.poll(() => good().catch(() => null)).toMatchObject({ text: 'good' });
    expect(tasks.failure.aborted).toBe(false);
  });

  test('when the outage is longer than the library waits by default, the connection still comes back', async () => {
    await nats.stop();
    // By default it tries ten times, two seconds apart.
    await sleep(24_000);

    await nats.start();

    await expect.poll(() => good().catch(() => null)).toMatchObject({ text: 'good' });
  });

  test('when a link is half open, the loss is detected long before the deadline of a call', async () => {
    const inFlight = codeOf(tasks.call(wait, { body: { ms: 8_000 } }, { deadlineMs: 30_000 }));
    await sleep(50);

    process.kill(nats.pid(), 'SIGSTOP');

    expect(await inFlight).toBe('unavailable');
    expect(tasks.isConnected()).toBe(false);
    process.kill(nats.pid(), 'SIGCONT');
    await expect.poll(() => good().catch(() => null)).toMatchObject({ text: 'good' });
  });
});

describe('a service', () => {
  test('a service that starts before NATS waits for it', async () => {
    await nats.stop();
    const early = connectTestBus(nats, 'api-gateway');
    await sleep(1_500);

    await nats.start();

    const bus = await early;
    expect(bus.isConnected()).toBe(true);
    await bus[Symbol.asyncDispose]();
  });

  test('a service that waits for NATS stops on its signal', async () => {
    await nats.stop();

    // NATS stays away: nothing else ends the wait.
    await expect(connectTestBus(nats, 'api-gateway', { signal: AbortSignal.timeout(300) })).rejects.toThrow('abort');
  });

  test('a service with a wrong NATS password fails with the cause', async () => {
    await expect(connectTestBus(nats, 'tasks', { password: 'wrong' })).rejects.toThrow('NATS refuses the user tasks');
  });
});

describe('a service that stops', () => {
  test('finishes requests in flight and takes no new ones', async () => {
    const inFlight = tasks.call(wait, { body: { ms: 500 } }, { deadlineMs: 20_000 });
    await sleep(50);

    const stopped = auth[Symbol.asyncDispose]();

    await expect.poll(() => codeOf(tasks.call(wait, { body: { ms: 0 } }))).toBe('unavailable');
    await expect(inFlight).resolves.toMatchObject({ aborted: false });
    await stopped;
    expect(auth.failure.aborted).toBe(false);
  });
});
