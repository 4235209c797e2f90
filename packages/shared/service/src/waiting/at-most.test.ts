import { expect, test } from 'vitest';
import { atMost } from './at-most.ts';

const never = new Promise<never>(() => undefined);
const turn = () => new Promise((resolve) => setImmediate(resolve));

const limits = [
  { name: 'atMost', limited: atMost(2) },
  { name: 'atMost with holdMs', limited: atMost(2, { holdMs: 60_000 }) },
  { name: 'atMost with awayMs', limited: atMost(2, { awayMs: 60_000 }) },
];

test.each(limits)(
  '$name: two jobs run at the same time, in their order, and a failed one frees its slot',
  async ({ limited }) => {
    const begun: number[] = [];
    const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
    const works = ends.map(({ promise }, n) =>
      limited(async () => {
        begun.push(n);
        await promise;
      }),
    );
    await turn();
    expect(begun).toEqual([0, 1]);

    ends[1]?.reject(new Error('failed'));
    await expect(works[1]).rejects.toThrow('failed');
    await turn();
    expect(begun).toEqual([0, 1, 2]);

    for (const { resolve } of ends) resolve();
    await Promise.allSettled(works);
    expect(begun).toEqual([0, 1, 2, 3]);
  },
);

test('jobs with one slot do not overlap, keep their order, and continue after one that fails', async () => {
  const inTurn = atMost(1);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise(setImmediate);
    order.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
    return name;
  };

  const results = await Promise.allSettled([inTurn(work('a')), inTurn(work('b')), inTurn(work('c'))]);

  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});

test('a job that hangs gives up its slot once', async () => {
  const inTurn = atMost(1, { holdMs: 20 });
  void inTurn(() => never);

  expect(await inTurn(async () => 'next')).toBe('next');
  void inTurn(() => never);
  const begun: string[] = [];
  const late = Promise.withResolvers<void>();
  const slow = inTurn(() => late.promise);
  const after = inTurn(async () => void begun.push('after'));
  await after;
  late.resolve();
  await slow;
  void inTurn(() => never);
  void inTurn(async () => void begun.push('waits'));
  await turn();

  expect(begun).toEqual(['after']);
});

test('a job that waits too long for a server passes on its slot, and gets one again before it continues', async () => {
  const inTurn = atMost(1, { awayMs: 10 });
  const answer = Promise.withResolvers<string>();
  const end = Promise.withResolvers<void>();
  const order: string[] = [];
  const slow = inTurn(async ({ away }) => {
    order.push(await away(() => answer.promise));
  });
  const next = inTurn(async () => {
    order.push('next');
    await end.promise;
  });
  await expect.poll(() => order).toEqual(['next']);

  answer.resolve('slow');
  await turn();
  expect(order).toEqual(['next']);

  end.resolve();
  await Promise.all([slow, next]);
  expect(order).toEqual(['next', 'slow']);
});

test('a job keeps its slot while it computes, however long that takes', async () => {
  const inTurn = atMost(1, { awayMs: 0 });
  const end = Promise.withResolvers<void>();
  const order: string[] = [];
  const long = inTurn(async () => {
    await end.promise;
    order.push('long');
  });
  const next = inTurn(async () => void order.push('next'));
  await new Promise((resolve) => setTimeout(resolve, 5));

  end.resolve();
  await Promise.all([long, next]);
  expect(order).toEqual(['long', 'next']);
});

test('a job that fails after it gave up its slot does not free it twice', async () => {
  const inTurn = atMost(1, { awayMs: 0 });
  const answer = Promise.withResolvers<never>();
  const failed = inTurn(({ away }) => away(() => answer.promise));
  await inTurn(async () => undefined);

  answer.reject(new Error('cut'));
  await expect(failed).rejects.toThrow('cut');

  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
  const first = inTurn(async () => {
    begun.push('first');
    await end.promise;
  });
  const second = inTurn(async () => void begun.push('second'));
  await turn();
  expect(begun).toEqual(['first']);
  end.resolve();
  await Promise.all([first, second]);
});

test('a job that passes on its slot continues after the waiting jobs', async () => {
  const inTurn = atMost(1);
  const order: string[] = [];
  const long = inTurn(async ({ pass }) => {
    for (const part of [1, 2]) {
      order.push(`long ${part}`);
      await pass();
    }
    order.push('long ends');
  });
  const others = ['a', 'b'].map((name) => inTurn(async () => order.push(name)));

  await Promise.all([long, ...others]);

  expect(order).toEqual(['long 1', 'a', 'b', 'long 2', 'long ends']);
});
