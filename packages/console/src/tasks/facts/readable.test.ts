import { expect, it } from 'vitest';
import { readable } from './readable.ts';

it('a reason for people has times in their zone and short ids', () => {
  const at = (time: string) => `<${time.slice(11, 16)}>`;
  expect(readable('scheduled for 2026-11-25T22:58:21.931Z', at)).toBe('scheduled for <22:58>');
  expect(readable('waiting for task b9d8688b-56c6-4537-a14a-0ec2b6fb0112', at)).toBe('waiting for task b9d8688b');
  expect(readable('size must be small', at)).toBe('size must be small');
});
