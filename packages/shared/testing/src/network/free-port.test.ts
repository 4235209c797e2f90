import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

test('ports that are picked in parallel differ, although nothing listens on them yet', async () => {
  const ports = await Promise.all(Array.from({ length: 1_000 }, freePort));

  expect(new Set(ports).size).toBe(1_000);
});
