import { type CustomTypesConfig, types } from 'pg';
import { knownAsJson } from '@berth/contracts/fields/json';

type Parse = (text: string) => unknown;

const firstTime = '0001-01-01T00:00:00.000Z';
const lastTime = '9999-12-31T23:59:59.999Z';

/**
 * Postgres prints `2024-05-06 07:08:09.123+00`, because every connection uses UTC. Times before year 1 or after 9999 become the
 * nearest year that ISO 8601 writes with four digits: a row must stay readable whatever its times are.
 */
function isoTime(text: string): string {
  if (text === '-infinity' || text.endsWith(' BC')) return firstTime;
  if (text === 'infinity' || /^\d{5}/.test(text)) return lastTime;
  const [date, time] = text.slice(0, -3).split(' ');
  if (!text.endsWith('+00') || time === undefined) return text;
  const [seconds, fraction = ''] = time.split('.');
  return `${date}T${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/** Counts and versions are numbers. Larger integers stay text, which the schema of the query then refuses. */
function wholeNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** Below this length, checking a value takes less time than remembering that it was checked. */
const worthRemembering = 1_000;

/** The value was validated when it was written, and such columns hold only JSON. */
const checkedJson: Parse = (text) =>
  text.length < worthRemembering ? JSON.parse(text) : knownAsJson(JSON.parse(text));

const keepText: Parse = (text) => text;

/** One-dimensional arrays; neither times nor numbers contain a comma or an escaped quote. */
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

/** Converts values from Postgres: times to ISO strings, bigints to numbers. */
export const valueParsers: CustomTypesConfig = {
  getTypeParser: (oid) => parsers.get(oid) ?? types.getTypeParser(oid, 'text'),
};
