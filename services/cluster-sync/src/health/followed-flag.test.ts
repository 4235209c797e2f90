import { expect, test } from 'vitest';
import { followedFlag } from './followed-flag.ts';

test('the flag is written again if the database has lost it, as when a cluster is ignored for less than a second', async () => {
  const stop = new AbortController();
  const saved: boolean[] = [];
  const { note, run } = followedFlag({
    kinds: ['Pod'],
    save: async (followed) => saved.push(followed),
    arrivalMs: 1,
    againMs: 5,
  });
  const running = run(stop.signal);
  await expect.poll(() => saved).toEqual([false]);

  note('Pod', true);
  await expect.poll(() => saved.filter(Boolean).length).toBeGreaterThan(2);
  note('Pod', false);
  await expect.poll(() => saved.at(-1)).toBe(false);

  stop.abort();
  await running;
});
