import { expect, test } from 'vitest';
import { z } from 'zod';
import { invalidRequest, pathOf } from './field-errors.ts';

const refusal = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  return error ? invalidRequest(error) : null;
};

test('the path of a field error names keys and indexes', () => {
  expect(pathOf(['body', 'config', 'hosts', 2])).toBe('body.config.hosts[2]');
});

test('field errors name unknown fields one by one, at most 50 of them', () => {
  const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key${n}`, 1]));

  const errors = refusal(z.strictObject({}), value)?.errors ?? [];
  expect(errors).toHaveLength(50);
  expect(errors[49]).toEqual({ path: 'key49', message: 'is not known here' });
});

test('field errors list the first 50 values that break a rule', () => {
  expect(refusal(z.array(z.string()), Array<number>(10_000).fill(1))?.errors).toHaveLength(50);
});

test('field errors cut very long keys between characters, at every level of a path', () => {
  const key = '😀'.repeat(100_000);
  const path = pathOf(['body', ...Array<string>(60).fill(key), 'end']);

  expect(path.isWellFormed()).toBe(true);
  expect(path.length).toBeLessThan(60 * 210);
  expect(refusal(z.strictObject({}), { [key]: 1 })?.message).toMatch(/^😀+…: is not known here$/u);
});
