import { expect, test } from 'vitest';
import { createLiveSlots, type Reader, type TakeSlot, usualLimits } from './live-slots.ts';

const cluster = { id: 'c', name: 'prod' };
const reader = (id: string, follows = false): Reader => ({ identity: { kind: 'user', id }, follows });
const full = /which is the maximum/;

const takeMany = (take: TakeSlot, times: number, who: Reader) =>
  Promise.all(Array.from({ length: times }, () => take(cluster, who)));

test('an identity gets three slots and then waits for one of its own, while others still get slots', async () => {
  const take = createLiveSlots(usualLimits);
  const [first] = await takeMany(take, 3, reader('member'));

  const waiting = Array.from({ length: 10 }, () => take(cluster, reader('member')));
  await expect(take(cluster, reader('member'))).rejects.toThrow(/^3 logs and events are already being read for you/);
  const others = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => take(cluster, reader(id))));

  others[0]?.[Symbol.dispose]();
  first?.[Symbol.dispose]();
  (await waiting[0])?.[Symbol.dispose]();
  const outcomes = await Promise.allSettled(waiting.slice(1));
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
});

test('followed logs take half of the slots of a cluster, so that events can be read beside them', async () => {
  const take = createLiveSlots(usualLimits);
  const followers = ['a', 'b', 'c', 'd', 'e'].map((id) => take(cluster, reader(id, true)));
  const [first] = await Promise.all(followers);

  await expect(take(cluster, reader('f', true))).rejects.toThrow(/^5 followed logs and events of the cluster prod/);
  const slot = await take(cluster, reader('f'));

  first?.[Symbol.dispose]();
  await expect(take(cluster, reader('g', true))).resolves.toBeDefined();
  slot[Symbol.dispose]();
});

test('a refused read does not take a slot', async () => {
  const take = createLiveSlots({ perCluster: 1, total: 2, perIdentity: 1 });
  const held = await take(cluster, reader('a'));
  for (let n = 0; n < 5; n += 1) await expect(take(cluster, reader('b'))).rejects.toThrow(full);
  for (let n = 0; n < 5; n += 1) await expect(take(cluster, { identity: null })).rejects.toThrow(full);

  held[Symbol.dispose]();
  await expect(take(cluster, reader('b'))).resolves.toBeDefined();
  await expect(take({ id: 'd', name: 'other' }, { identity: null })).resolves.toBeDefined();
});
