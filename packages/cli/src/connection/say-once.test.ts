import { expect, test } from 'vitest';
import { createSayOnce } from './say-once.ts';

test('requests that wait at the same time report it once, and again when they wait longer', () => {
  const said: string[] = [];
  let now = 1_000;
  const say = createSayOnce(
    (line) => said.push(line),
    () => now,
  );

  for (const at of [1_000, 1_001, 1_199, 1_200, 1_300]) {
    now = at;
    say(`at ${at}`, 200);
  }

  expect(said).toEqual(['at 1000', 'at 1200']);
});
