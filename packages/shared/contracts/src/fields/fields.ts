import { asciiLowerCase } from './ascii-case.ts';
import { z } from 'zod';
import { harmIn, isHarmless } from './harmful-text.ts';
import { ruleWords } from './rule-words.ts';

export { Json, JsonObject } from './json.ts';

/** Lower-case as in Postgres, because the code compares ids as strings. */
export const Id = z.uuid(ruleWords('must be a UUID')).toLowerCase();
export const Timestamp = z.iso.datetime({
  offset: true,
  ...ruleWords('must be an ISO 8601 date and time with a zone'),
});

const yearOf = (time: string): number => new Date(time).getUTCFullYear();

/** A time from a caller, converted to UTC and milliseconds: Postgres does not accept every zone and year of ISO 8601. */
export const GivenTime = Timestamp.refine(
  (time) => yearOf(time) >= 1 && yearOf(time) <= 9999,
  'must lie in the years 1 to 9999',
).overwrite((time) => {
  const moment = new Date(time);
  return Number.isNaN(moment.getTime()) ? time : moment.toISOString();
});

const tenYearsAhead = (): number => {
  const moment = new Date();
  return moment.setUTCFullYear(moment.getUTCFullYear() + 10);
};

/** The time at which a task is to be done. */
export const PlannedTime = GivenTime.refine(
  (time) => !(Date.parse(time) > tenYearsAhead()),
  'must lie at most ten years ahead',
);

/** Compares `length` first if that is enough: counting code points copies the text. */
const hasAtLeast = (value: string, min: number): boolean => value.length >= 2 * min || [...value].length >= min;
const hasAtMost = (value: string, max: number): boolean =>
  value.length <= max || (value.length <= 2 * max && [...value].length <= max);

/** Any text that Postgres can store. */
export const Text = z.string().superRefine((value, context) => {
  const message = harmIn(value);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

/** Text typed by a person: stored trimmed, with its length counted in code points. */
export const text = (min: number, max: number) =>
  Text.trim()
    .refine((value) => hasAtLeast(value, min), min === 1 ? 'must not be empty' : `must have at least ${min} characters`)
    .refine((value) => hasAtMost(value, max), `must have at most ${max} characters`)
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });

/** The size in UTF-8, where a UTF-16 unit takes one to three bytes. */
const bytesWithin = (value: string, max: number): boolean =>
  value.length * 3 <= max || (value.length <= max && new TextEncoder().encode(value).length <= max);

/** Text that is stored exactly as sent, including white space, such as the contents of a secret. */
export const verbatim = (maxBytes: number) => {
  const rule = `must take at most ${maxBytes} bytes`;
  return Text.refine((value) => bytesWithin(value, maxBytes), rule).meta({ maxLength: maxBytes, description: rule });
};

export const Name = text(1, 100);

/** An explanation for people. */
export const Reason = text(0, 500);

/** A link that is shown but never fetched by us; only http and https, so that it cannot run a script. */
export const HttpUrl = z
  .url({ protocol: /^https?$/, ...ruleWords('must be an http or https URL') })
  .regex(/^[\x21-\u{10ffff}]+$/u, 'must not contain spaces or control characters')
  .max(2048, 'must have at most 2048 characters')
  .refine(isHarmless, 'must be well-formed Unicode');

const dnsLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/** A deployment's name, which becomes part of a namespace; empty for charts with one instance per cluster. */
export const DeploymentName = z
  .string()
  .trim()
  .regex(
    new RegExp(`^(?:${dnsLabel})?$`),
    'must be a DNS label: at most 63 of a-z, 0-9 and -, beginning and ending with a letter or digit',
  );

export const DnsName = z
  .string()
  .trim()
  .overwrite(asciiLowerCase)
  .max(253)
  .regex(new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`), 'must be a DNS name such as apps.example.com');

/** The name of an icon, such as `cubes`. */
export const Icon = text(0, 100).regex(/^[a-z0-9 -]*$/, 'may only contain a-z, 0-9, spaces and dashes');
