import { z } from 'zod';

const pattern = /^-?\d{1,30}(?:\.\d{1,30})?$/;

/** A string, as in the API, so that 0.1 stays exact; YAML has a number. */
export const Decimal = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.string().regex(pattern, 'must be a decimal number'),
);

/** Both numbers as integers in the smaller of their units, because binary fractions are inexact. */
function scaled(a: string, b: string): [bigint, bigint] {
  const places = Math.max(placesOf(a), placesOf(b));
  return [scale(a, places), scale(b, places)];
}

const placesOf = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;

const scale = (decimal: string, places: number): bigint =>
  BigInt(decimal.replace('.', '') + '0'.repeat(places - placesOf(decimal)));

/** Negative if a < b, 0 if equal, else positive. */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = scaled(a, b);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Whether `value` is `base` plus a whole number of steps. */
export function isOnStep(value: string, { base, step }: { base: string; step: string }): boolean {
  const places = Math.max(placesOf(value), placesOf(base), placesOf(step));
  return (scale(value, places) - scale(base, places)) % scale(step, places) === 0n;
}

/** The decimal digits of a number; undefined if it is too large or too small to be written without an exponent. */
export function decimalOf(value: number): string | undefined {
  const digits = String(value);
  return pattern.test(digits) ? digits : undefined;
}
