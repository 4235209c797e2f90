import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';

/** Hiding every `1` or `true` would hide the log. */
const least = 6;
/** A line of a longer text, such as a key; shorter ones say `enabled: true`. */
const leastLine = 16;
const most = 1_000;

/** How the secrets of a run may show up in what is printed: as they are, line by line, quoted, encoded. Longest first. */
export function knownSecrets({ secrets }: Pick<ClaimedTask, 'secrets'>, credentials: readonly string[]): string[] {
  const values = [...Object.values(secrets).flatMap((entries) => Object.values(entries)), ...credentials];
  const shown = new Set(values.filter(({ length }) => length >= least).flatMap(formsOf));
  return [...shown].toSorted((a, b) => b.length - a.length).slice(0, most);
}

function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const longLines = lines.length === 1 ? [] : lines.filter(({ length }) => length >= leastLine);
  return [value, ...longLines, JSON.stringify(value).slice(1, -1), Buffer.from(value).toString('base64')];
}
