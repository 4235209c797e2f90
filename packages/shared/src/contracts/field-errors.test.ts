import { expect, test } from 'vitest';
import { z } from 'zod';
import { invalidRequest, pathOf } from './field-errors.ts';

const refusal = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  return error ? invalidRequest(error) : null;
};

test('a path names keys and places', () => {
  expect(pathOf(['body', 'config', 'hosts', 2])).toBe('body.config.hosts[2]');
});

test('unknown fields are named one by one, at most 50 of them', () => {
  const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key${n}`, 1]));

  const errors = refusal(z.strictObject({}), value)?.errors ?? [];
  expect(errors).toHaveLength(50);
  expect(errors[49]).toEqual({ path: 'key49', message: 'is not known here' });
});

test('one error for each of the first 50 values that break a rule', () => {
  expect(refusal(z.array(z.string()), Array<number>(10_000).fill(1))?.errors).toHaveLength(50);
});

test('keys as long as a body are cut between characters, at every level of a path', () => {
  const key = '😀'.repeat(100_000);
  const path = pathOf(['body', ...Array<string>(60).fill(key), 'end']);

  expect(path.isWellFormed()).toBe(true);
  expect(path.length).toBeLessThan(60 * 210);
  expect(refusal(z.strictObject({}), { [key]: 1 })?.message).toMatch(/^😀+…: is not known here$/u);
});
