import { z } from 'zod';

export const Id = z.uuid();
export const Timestamp = z.iso.datetime({ offset: true });

const codePoints = (text: string): number => [...text].length;

/** Text as a person types it: stored trimmed, without NUL, its length counted in code points. */
export const text = (min: number, max: number) =>
  z
    .string()
    .trim()
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
    .refine(
      (value) => codePoints(value) >= min,
      min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    )
    .refine((value) => codePoints(value) <= max, `must have at most ${max} characters`);

export const Name = text(1, 100);

/** Any JSON value. */
export const Json = z.json();

export const JsonObject = z.record(z.string(), z.json());

/** A link that is shown, never fetched by us: only http and https, so that no script can hide in it. */
export const HttpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048);
