import type { Authenticated } from '@berth/contracts/resources/accounts/identities';
import { AppError } from '@berth/contracts/errors';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createLeasedIdentities, type LeasedIdentities } from './leased-identities.ts';

const ada: Authenticated = {
  identity: { kind: 'user', id: '6e6f7a5e-4f0f-4d6f-9a3e-1d2f3c4b5a69' },
  identity_token: 'signed',
  reusable_ms: 1_000,
};

interface Auth {
  calls: string[];
  /** Answers the waiting renewals. */
  answer(): Promise<void>;
  outcome: 'granted' | 'refused' | 'failed';
}

function leasedAt(time: { ms: number }, leaseMs = 1_000) {
  let waiting: (() => void)[] = [];
  const auth: Auth = {
    calls: [],
    outcome: 'granted',
    async answer() {
      for (const resolve of waiting) resolve();
      waiting = [];
      await new Promise(setImmediate);
    },
  };
  const call = async ({ name }: { name: string }) => {
    auth.calls.push(name);
    if (name === 'renew') await new Promise<void>((resolve) => waiting.push(resolve));
    if (auth.outcome === 'failed') throw new AppError('unavailable', 'auth is away');
    return { granted: auth.outcome === 'granted' };
  };
  const bus = { instance: '0123456789abcdef', call: call as never };
  const leased = createLeasedIdentities({ bus, leaseMs, metrics: new Registry(), clock: () => time.ms });
  const forget = async () => leased.served.handlers['forget']?.({}, {} as never);
  return { leased, auth, forget };
}

/** Two requests, since a single one does not take a lease. */
function useTwice(leased: Pick<LeasedIdentities, 'find'>): void {
  leased.find('ada');
  leased.find('ada');
}

/** Takes a lease from 0 to 1,000 and looks Ada up under it. */
async function withAda(time: { ms: number }) {
  const made = leasedAt(time);
  useTwice(made.leased);
  await made.auth.answer();
  made.leased.keep('ada', made.leased.begin(), ada);
  return made;
}

test('an identity is reused until the lease under which it was looked up ends, even if that lease was renewed since', async () => {
  const time = { ms: 0 };
  const { leased, auth } = await withAda(time);

  time.ms = 600;
  expect(leased.find('ada')).toEqual(ada);
  await auth.answer();
  time.ms = 999;
  expect(leased.find('ada')).toEqual(ada);
  time.ms = 1_000;

  expect(leased.find('ada')).toBeUndefined();
  expect(leased.begin()).toMatchObject({ until: 1_600 });
});

test('a lease counts from before its renewal was sent', async () => {
  const time = { ms: 0 };
  const { leased, auth } = leasedAt(time);
  useTwice(leased);
  time.ms = 700;
  await auth.answer();

  expect(leased.begin()).toMatchObject({ until: 1_000 });
});

test('identities are not kept without a lease', async () => {
  const time = { ms: 0 };
  const { leased, auth } = leasedAt(time);
  useTwice(leased);
  const ticket = leased.begin();
  await auth.answer();

  leased.keep('ada', ticket, ada);

  expect(ticket).toBeNull();
  expect(leased.find('ada')).toBeUndefined();
});

test('an identity whose lookup began before auth made the gateway forget is neither reused nor kept', async () => {
  const { leased, forget } = await withAda({ ms: 0 });
  const ticket = leased.begin();

  await forget();
  leased.keep('grace', ticket, ada);

  expect(leased.find('ada')).toBeUndefined();
  expect(leased.find('grace')).toBeUndefined();
  leased.keep('ada', leased.begin(), ada);
  expect(leased.find('ada')).toEqual(ada);
});

test('an identity is not reused after its credential expires, counted from before the lookup', async () => {
  const time = { ms: 0 };
  const { leased } = await withAda(time);
  const ticket = leased.begin();
  time.ms = 100;
  leased.keep('ada', ticket, { ...ada, reusable_ms: 300 });

  time.ms = 299;
  expect(leased.find('ada')).toBeDefined();
  time.ms = 300;
  expect(leased.find('ada')).toBeUndefined();
});

test.for([0, undefined])('an identity is not kept if auth allows its reuse for %s ms', async (reusable) => {
  const { leased } = await withAda({ ms: 0 });
  const { reusable_ms: _, ...grace } = ada;

  leased.keep('grace', leased.begin(), { ...grace, ...(reusable !== undefined && { reusable_ms: reusable }) });

  expect(leased.find('grace')).toBeUndefined();
});

test('occasional requests do not take a lease', () => {
  const time = { ms: 0 };
  const { leased, auth } = leasedAt(time);

  for (; time.ms < 10_000; time.ms += 1_000) leased.find('ada');

  expect(auth.calls).toEqual([]);
});

test('a lease is renewed while there is traffic, one call at a time', async () => {
  const time = { ms: 0 };
  const { leased, auth } = leasedAt(time);
  for (let n = 0; n < 100; n++) leased.find('ada');
  await auth.answer();
  time.ms = 499;
  leased.find('ada');
  expect(auth.calls).toEqual(['renew']);

  time.ms = 500;
  for (let n = 0; n < 100; n++) leased.find('ada');

  expect(auth.calls).toEqual(['renew', 'renew']);
});

test.for(['refused', 'failed'] as const)(
  'a renewal that %s does not grant a lease and is repeated after a pause',
  async (outcome) => {
    const time = { ms: 0 };
    const { leased, auth } = leasedAt(time);
    auth.outcome = outcome;
    useTwice(leased);
    await auth.answer();

    expect(leased.begin()).toBeNull();
    time.ms = 999;
    leased.find('ada');
    expect(auth.calls).toHaveLength(1);
    time.ms = 1_000;
    leased.find('ada');
    expect(auth.calls).toHaveLength(2);
  },
);

test('a stopping gateway stops reusing identities and gives up its lease', async () => {
  const { leased, auth } = await withAda({ ms: 0 });

  await leased[Symbol.asyncDispose]();

  expect(leased.find('ada')).toBeUndefined();
  expect(leased.begin()).toBeNull();
  expect(auth.calls.at(-1)).toBe('release');
});

test('the gateway never requests a lease if the lease time is 0', async () => {
  const { leased, auth } = leasedAt({ ms: 0 }, 0);

  expect(leased.find('ada')).toBeUndefined();
  expect(leased.begin()).toBeNull();
  await leased[Symbol.asyncDispose]();
  expect(auth.calls).toEqual([]);
});

test('identities with thousands of roles are kept only up to the memory limit', async () => {
  const { leased } = await withAda({ ms: 0 });
  const large = { ...ada, identity_token: 'x'.repeat(1024 * 1024) };

  for (let n = 0; n < 40; n++) leased.keep(`large ${n}`, leased.begin(), large);

  expect(leased.find('large 0')).toBeUndefined();
  expect(leased.find('large 39')).toEqual(large);
});
