import { expect, test } from 'vitest';
import { firstNamed, namedInMetrics, oldestNamed } from './bounded-names.ts';

const together = (others: readonly { name: string; at: number }[]) => ({
  name: 'others',
  at: Math.min(...others.map(({ at }) => at)),
});

test('the oldest rows keep their names, and the others share one', () => {
  const rows = Array.from({ length: namedInMetrics + 2 }, (_, index) => ({ name: `n${index}`, at: 1_000 - index }));

  const named = oldestNamed(rows, together);

  expect(named).toHaveLength(namedInMetrics + 1);
  expect(named[0]).toEqual({ name: 'n51', at: 949 });
  expect(named.at(-1)).toEqual({ name: 'others', at: 999 });
  expect(oldestNamed(rows.slice(0, 2), together).map(({ name }) => name)).toEqual(['n1', 'n0']);
});

test('a counter keeps the names that it has seen first', () => {
  const named = firstNamed('others');
  const all = Array.from({ length: namedInMetrics }, (_, index) => named(`n${index}`));

  expect(all.at(-1)).toBe(`n${namedInMetrics - 1}`);
  expect([named('late'), named('n0')]).toEqual(['others', 'n0']);
});
