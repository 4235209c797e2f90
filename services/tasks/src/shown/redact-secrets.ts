/** Shown in place of a secret. */
export const redacted = '***';

/** Shorter texts are too common to be searched for. */
const leastCharacters = 6;
/** For single lines of a secret, since a shorter one may be as common as `enabled: true`. */
const leastOfLine = 16;
/** Only the beginning of a secret is searched for. This bounds the number of lengths, and thus the cost of a search. */
const mostCharacters = 48;
const mostSecrets = 10_000;
/** If secrets that begin alike have more lengths than this, each is searched for by a shorter beginning (`steps`). */
const mostLengths = 8;
/** `cutText` ends a text with it, perhaps in the middle of a secret. */
const cutMark = '…';
/** The length of a searched beginning if each of its characters is escaped, as in `\\u0041`. */
const mostEncoded = 6 * mostCharacters;
const incompleteEscape = /(?:%[0-9a-f]?|\\(?:u[0-9a-f]{0,3})?)$/i;
const steps: readonly number[] = [mostCharacters, 32, 24, 16, 12, 8, leastCharacters];

export interface RedactSecrets {
  /** Redacts secrets of at least this length. The cost grows with the text, not with the number of secrets. */
  (text: string, atLeast?: number): string;
}

/** Finds secrets in plain text and in every encoding that can be decoded, regardless of the text before them. */
export function redactSecrets(secrets: readonly string[]): RedactSecrets {
  /** The searched beginnings; true for a whole secret. After any other, the end of the secret in a text is unknown. */
  const beginnings = new Map<string, boolean>();
  /** The lengths of the beginnings by their first characters, the longest first. */
  const lengthsAt = new Map<string, readonly number[]>();
  const wanted = wantedOf(secrets);
  const ordered = wanted.toSorted((a, b) => (a < b ? -1 : 1));
  for (const [first, group] of Map.groupBy(wanted, (text) => text.slice(0, leastCharacters))) {
    const lengths = lengthsFor(group);
    for (const text of group) {
      const beginning = text.slice(
        0,
        lengths.find((length) => length <= text.length),
      );
      beginnings.set(beginning, beginning === text && beginnings.get(beginning) !== false);
    }
    lengthsAt.set(first, lengths);
  }

  /** The first secret; null if there is none. */
  function find(text: string, from: number, atLeast: number): { at: number; length: number; isWhole: boolean } | null {
    for (let at = from; at + leastCharacters <= text.length; at += 1) {
      for (const length of lengthsAt.get(text.slice(at, at + leastCharacters)) ?? []) {
        const isWhole = length >= atLeast ? beginnings.get(text.slice(at, at + length)) : undefined;
        if (isWhole !== undefined) return { at, length, isWhole };
      }
    }
    return null;
  }

  /** Where the end of a text is the beginning of a secret; -1 if it is not. */
  function beginningAtEnd(text: string): number {
    for (let at = Math.max(0, text.length - mostCharacters); at + leastCharacters <= text.length; at += 1) {
      const rest = text.slice(at);
      if (lengthsAt.has(rest.slice(0, leastCharacters)) && isBeginning(rest)) return at;
    }
    return -1;
  }

  /** Bisects, since thousands of secrets may begin alike. Sorted, the secrets that begin with the text come right after it. */
  function isBeginning(text: string): boolean {
    let [low, high] = [0, ordered.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ordered[middle] ?? '') < text) low = middle + 1;
      else high = middle;
    }
    return ordered[low]?.startsWith(text) === true;
  }

  /** Redacts what is left of a secret at the end of a text that was cut. */
  function redactEnd(text: string): string {
    const start = text.slice(0, -cutMark.length);
    const end = start.slice(-mostEncoded).replace(incompleteEscape, '');
    const decoded = decodedOf(end).map((each) => each.replace(/\uFFFD+$/, ''));
    if (decoded.some((each) => beginningAtEnd(each.toLowerCase()) >= 0)) return redacted;
    const lower = start.toLowerCase();
    const at = beginningAtEnd(lower);
    if (at < 0) return text;
    return lower.length === start.length ? `${start.slice(0, at)}${redacted}${cutMark}` : redacted;
  }

  function redactPlain(text: string, atLeast: number): string {
    const lower = text.toLowerCase();
    // Lower case may change the length.
    const isAligned = lower.length === text.length;
    let shown = '';
    let from = 0;
    for (let found = find(lower, 0, atLeast); found; found = find(lower, from, atLeast)) {
      if (!isAligned) return redacted;
      shown += text.slice(from, found.at) + redacted;
      from = found.isWhole ? endOfWord(text, found.at + found.length) : text.length;
    }
    return shown + text.slice(from);
  }

  return (text, atLeast = leastCharacters) => {
    if (beginnings.size === 0) return text;
    const isInDecoded = decodedOf(text).some((each) => find(each.toLowerCase(), 0, atLeast) !== null);
    if (isInDecoded) return redacted;
    const shown = redactPlain(text, atLeast);
    return shown.endsWith(cutMark) ? redactEnd(shown) : shown;
  };
}

/**
 * The secrets and their lines, in lower case. Secrets come before lines, so that a long list of certificates does not crowd out a
 * password; longer ones come first, so that a long list of words does not. Each keeps one character more than is searched for, which
 * shows that the secret is longer.
 */
function wantedOf(secrets: readonly string[]): string[] {
  const texts = secrets.map((secret) => secret.trim()).toSorted((a, b) => b.length - a.length);
  const wanted = new Set<string>();
  for (const text of texts) add(text, leastCharacters);
  for (const text of texts) {
    if (wanted.size >= mostSecrets) break;
    if (!text.includes('\n')) continue;
    for (const line of text.split(/\r?\n/, mostSecrets)) add(line.trim(), leastOfLine);
  }
  return [...wanted].slice(0, mostSecrets);

  function add(text: string, atLeast: number): void {
    if (text.length >= atLeast) wanted.add(text.slice(0, mostCharacters + 1).toLowerCase());
  }
}

/** The lengths to search for, the longest first. Each costs a comparison at every position of a text, so there are few. */
function lengthsFor(group: readonly string[]): readonly number[] {
  const lengths = new Set(group.map(({ length }) => Math.min(length, mostCharacters)));
  return lengths.size > mostLengths ? steps : [...lengths].sort((a, b) => b - a);
}

function endOfWord(text: string, from: number): number {
  const rest = text.slice(from).search(/[\s"'<>]/);
  return rest < 0 ? text.length : from + rest;
}

/** The text decoded in every way: percent-encoding, JSON escapes, hexadecimal digits, base64. */
function decodedOf(text: string): string[] {
  const decoded: string[] = [];
  if (/%[0-9a-f]{2}/i.test(text))
    decoded.push(unpercent(text), unpercent(text.replaceAll('+', ' ')), unpercent(unpercent(text)));
  if (text.includes('\\')) decoded.push(unescape(text));
  for (const [digits] of text.matchAll(/[0-9a-f]{12,}/gi)) {
    decoded.push(bytes(digits, 'hex'), bytes(digits.slice(1), 'hex'));
  }
  for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{8,}/g)) {
    for (let offset = 0; offset < 4; offset += 1) decoded.push(bytes(run.slice(offset), 'base64'));
  }
  return decoded;
}

const bytes = (text: string, encoding: 'hex' | 'base64'): string => Buffer.from(text, encoding).toString('utf8');

const unpercent = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => bytes(run.replaceAll('%', ''), 'hex'));

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

const unescape = (text: string): string =>
  text.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, character: string | undefined) =>
    code === undefined ? (escapes[character ?? ''] ?? character ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
