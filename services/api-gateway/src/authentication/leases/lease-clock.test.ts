import { expect, test } from 'vitest';
import { createLeaseClock } from './lease-clock.ts';

function clocks() {
  const at = { monotonic: 1_000, wall: 5_000_000 };
  const clock = createLeaseClock(
    () => at.monotonic,
    () => at.wall,
  );
  return { at, clock };
}

test('the clock of a lease follows the monotonic clock and ignores corrections of the wall clock', () => {
  const { at, clock } = clocks();
  const start = clock();

  for (let n = 0; n < 100; n++) {
    at.monotonic += 10;
    at.wall += 10.04;
    clock();
  }
  at.wall -= 60_000;

  expect(clock() - start).toBe(1_000);
});

test('the clock of a lease includes a suspension during which the monotonic clock stood still', () => {
  const { at, clock } = clocks();
  const start = clock();

  at.monotonic += 1;
  at.wall += 5_001;

  expect(clock() - start).toBe(5_001);
});

test('the clock of a lease never goes back', () => {
  const { at, clock } = clocks();
  at.wall += 5_000;
  const ahead = clock();

  at.wall -= 5_000;

  expect(clock()).toBe(ahead);
});
