import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';

/** Redacting every `1` or `true` would make the log unreadable. */
const minLength = 6;
/** A line of a longer text, such as a key; shorter lines may be `enabled: true`. */
const minLineLength = 16;
const maxTexts = 1_000;

/** The secrets of one run in every form in which output may show them. */
export interface KnownSecrets {
  /** Longest first. */
  texts(): readonly string[];
  add(credentials: readonly string[]): void;
}

export function createKnownSecrets({
  secrets,
  confidential,
}: Pick<ClaimedTask, 'secrets' | 'confidential'>): KnownSecrets {
  const values = new Set([...Object.values(secrets).flatMap((entries) => Object.values(entries)), ...confidential]);
  let texts = textsOf(values);
  return {
    texts: () => texts,
    add(credentials) {
      for (const credential of credentials) values.add(credential);
      texts = textsOf(values);
    },
  };
}

function textsOf(values: ReadonlySet<string>): readonly string[] {
  const long = [...values].flatMap(withoutEnds).filter(({ length }) => length >= minLength);
  const texts = new Set(long.flatMap(formsOf));
  return [...texts].toSorted((a, b) => b.length - a.length).slice(0, maxTexts);
}

/** A secret that was read from a file often ends with a line break, which charts trim. */
export const withoutEnds = (value: string): string[] => [value, value.trim()];

/** Plain, line by line, quoted, quoted by Go, and encoded. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const longLines = lines.length === 1 ? [] : lines.filter(({ length }) => length >= minLineLength);
  const quoted = JSON.stringify(value).slice(1, -1);
  return [value, ...longLines, quoted, quoted.replaceAll(/[<>&]/g, escaped), Buffer.from(value).toString('base64')];
}

const escaped = (character: string): string => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
