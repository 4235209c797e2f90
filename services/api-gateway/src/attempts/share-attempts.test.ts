import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@berth/bus/bus';
import { expect, test, vi } from 'vitest';
import { Attempts } from './attempts.ts';
import { shareAttempts } from './share-attempts.ts';

/** Connects two replicas without delay and records their messages. */
function replicas() {
  const listeners: ((key: string) => void)[] = [];
  const sent: string[] = [];
  const hints: Bus['hints'] = {
    send: (_name, key) => {
      sent.push(key);
      for (const listener of listeners) listener(key);
    },
    listen: (_name, onHint) => void listeners.push(onHint),
  };
  const { signal } = new AbortController();
  const replica = () => {
    const usedUp: string[] = [];
    const attempts = new Attempts({
      perMinute: 10,
      now: () => 0,
      onUsedUp: (network) => usedUp.push(network),
      onCount: (network) => share('credentials', network),
    });
    const share = shareAttempts({ hints, attempts: { credentials: attempts }, signal, everyMs: 5 });
    return { attempts, usedUp };
  };
  return {
    sent,
    hear: (key: string) => listeners.forEach((listener) => listener(key)),
    one: replica(),
    other: replica(),
  };
}

test('attempts of a network that one replica counts reach the other once, in one message', async () => {
  const { sent, one, other } = replicas();
  for (let n = 0; n < 9; n += 1) one.attempts.count('2001:db8:1:2::/64');

  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect([one.usedUp, other.usedUp]).toEqual([[], []]);
  other.attempts.count('2001:db8:1:2::/64');
  expect(other.usedUp).toEqual(['2001:db8:1:2::/64']);
  await vi.waitFor(() => expect(one.usedUp).toEqual(['2001:db8:1:2::/64']));
  await sleep(30);
  expect(sent).toHaveLength(2);
});

test('attempts of many networks are sent in batches, those with most attempts first', async () => {
  const { sent, one } = replicas();
  for (let n = 0; n < 12_000; n += 1) one.attempts.count(`network ${n}`);
  one.attempts.count('network 777');

  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0));
  expect(sent.length % 500).toBe(0);
  expect(sent[0]).toContain(`-2-${Buffer.from('network 777').toString('base64url')}`);
  await vi.waitFor(() => expect(sent).toHaveLength(10_000));
});

test('malformed messages are ignored', () => {
  const { hear, one, other } = replicas();

  for (const key of ['', 'x', '0123456789abcdef-credentials-9999999-YQ', '0123456789abcdef-toString-5-YQ']) hear(key);
  hear('0123456789abcdef-credentials-99-YQ');

  expect([one.usedUp, other.usedUp]).toEqual([['a'], ['a']]);
});
