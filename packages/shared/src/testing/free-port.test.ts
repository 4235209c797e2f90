import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

test('ports handed out side by side differ, although nobody listens on them yet', async () => {
  const ports = await Promise.all(Array.from({ length: 1_000 }, freePort));

  expect(new Set(ports).size).toBe(1_000);
});
