import { expect, test } from 'vitest';
import { atMost } from './at-most.ts';
import { places } from './places.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

const limits = [
  { name: 'atMost', limited: atMost(2, { holdMs: 60_000 }) },
  { name: 'places', limited: places(2, { patienceMs: 60_000 }) },
];

test.each(limits)(
  '$name: two works run at the same time, in their order, and a failed one makes room',
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
