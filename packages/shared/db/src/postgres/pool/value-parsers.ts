import { type CustomTypesConfig, types } from 'pg';
import { knownAsJson } from '@berth/contracts/fields/json';

type Parse = (text: string) => unknown;

const firstTime = '0001-01-01T00:00:00.000Z';
const lastTime = '9999-12-31T23:59:59.999Z';

/**
 * Postgres prints `2024-05-06 07:08:09.123+00`, because every connection sets UTC. A time outside the years that
 * ISO 8601 writes with four digits becomes the nearest one inside: a row must stay readable whatever its times are.
 */
function isoTime(text: string): string {
  if (text === '-infinity' || text.endsWith(' BC')) return firstTime;
  if (text === 'infinity' || /^\d{5}/.test(text)) return lastTime;
  const [date, time] = text.slice(0, -3).split(' ');
  if (!text.endsWith('+00') || time === undefined) return text;
  const [seconds, fraction = ''] = time.split('.');
  return `${date}T${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/** Counts and versions are numbers. What a number cannot hold stays text, which the schema of the query then refuses. */
function wholeNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** A walk over a value that is shorter than this takes less than to remember that it needs none. */
const worthRemembering = 1_000;

/** It was checked when it was written, and Postgres keeps nothing else in such a column. */
const checkedJson: Parse = (text) =>
  text.length < worthRemembering ? JSON.parse(text) : knownAsJson(JSON.parse(text));

const keepText: Parse = (text) => text;

/** Arrays of one dimension; neither times nor numbers hold a comma or an escaped quote. */
const listOf =
  (parse: Parse): Parse =>
  (text) =>
    text === '{}'
      ? []
      : text
          .slice(1, -1)
          .split(',')
          .map((entry) => (entry === 'NULL' ? null : parse(entry.replaceAll('"', ''))));

const parsers = new Map<number, Parse>([
  [types.builtins.JSONB, checkedJson],
  [types.builtins.TIMESTAMPTZ, isoTime],
  [1185, listOf(isoTime)],
  [types.builtins.INT8, wholeNumber],
  [1016, listOf(wholeNumber)],
  [types.builtins.DATE, keepText],
  [types.builtins.TIMESTAMP, keepText],
  [types.builtins.INTERVAL, keepText],
]);

/** Turns what Postgres sends into plain values: times are ISO strings, bigints are numbers. */
export const valueParsers: CustomTypesConfig = {
  getTypeParser: (oid) => parsers.get(oid) ?? types.getTypeParser(oid, 'text'),
};
