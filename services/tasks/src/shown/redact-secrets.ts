/** Shown in place of a secret. */
export const redacted = '***';

/** Shorter texts are too common to be searched for. */
const leastCharacters = 6;
/** For single lines of a secret, since a shorter one may be as common as `enabled: true`. */
const leastOfLine = 16;
/** Only the beginning of a secret is searched for. This bounds the number of lengths, and thus the cost of a search. */
const mostCharacters = 48;
const mostSecrets = 10_000;

export interface RedactSecrets {
  /** Redacts secrets of at least this length. The cost grows with the text, not with the number of secrets. */
  (text: string, atLeast?: number): string;
}

/** Finds secrets in plain text and in every encoding that can be decoded, regardless of the text before them. */
export function redactSecrets(secrets: readonly string[]): RedactSecrets {
  const beginnings = new Set<string>();
  /** The lengths of the beginnings by their first characters, the longest first. */
  const lengthsAt = new Map<string, Set<number>>();
  const wanted = [...new Set(secrets.flatMap(textsOf).map((text) => text.slice(0, mostCharacters).toLowerCase()))];
  for (const beginning of wanted.slice(0, mostSecrets).sort((a, b) => b.length - a.length)) {
    beginnings.add(beginning);
    const first = beginning.slice(0, leastCharacters);
    lengthsAt.set(first, (lengthsAt.get(first) ?? new Set()).add(beginning.length));
  }

  /** The position and length of the first secret; null if there is none. */
  function find(text: string, from: number, atLeast: number): { at: number; length: number } | null {
    for (let at = from; at + leastCharacters <= text.length; at += 1) {
      for (const length of lengthsAt.get(text.slice(at, at + leastCharacters)) ?? []) {
        if (length >= atLeast && beginnings.has(text.slice(at, at + length))) return { at, length };
      }
    }
    return null;
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
      // The rest of a longer secret follows, and its end is unknown here.
      from = found.length === mostCharacters ? text.length : endOfWord(text, found.at + found.length);
    }
    return shown + text.slice(from);
  }

  return (text, atLeast = leastCharacters) => {
    if (beginnings.size === 0) return text;
    const isInDecoded = decodedOf(text).some((each) => find(each.toLowerCase(), 0, atLeast) !== null);
    return isInDecoded ? redacted : redactPlain(text, atLeast);
  };
}

/** The whole text and, if it has several lines, each line that is long enough. */
function textsOf(secret: string): string[] {
  const whole = secret.trim();
  const lines = whole.includes('\n') ? whole.split(/\r?\n/).map((line) => line.trim()) : [];
  return [whole, ...lines.filter(({ length }) => length >= leastOfLine)].filter(
    ({ length }) => length >= leastCharacters,
  );
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
