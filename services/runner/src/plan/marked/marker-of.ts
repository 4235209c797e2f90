/** Rotates within hexadecimal digits and within the other letters, so that a number, hex or base64 keeps its form. */
const classes = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

const letters = 'ghijklmnopqrstuvwxyz';

const rotated: ReadonlyMap<string, string> = new Map(
  classes.flatMap((characters) =>
    [...characters].map((character, index): [string, string] => [
      character,
      characters[(index + characters.length / 2) % characters.length] ?? character,
    ]),
  ),
);

const rotate = (text: string): string => text.replaceAll(/[0-9A-Za-z]/g, (character) => rotated.get(character) ?? '');

/** Parts by which charts recognize a kind of text: the first and last line of a PEM, the scheme of a URL, keys of lines. */
const structure = /^-----[A-Z0-9 ]{1,60}-----$|^[a-z][a-z0-9+.-]{0,20}:\/\//gm;
const keysOfLines = /^[ \t-]{0,40}[\w.-]{1,64}(?::(?=[ \t])|=(?=[^=\s]))/gm;

/**
 * A text of the same length and shape in which every letter and digit differs. Equal texts have equal markers, so a chart that
 * compares two of them takes the same branch. JSON keeps its keys and stays JSON, so that charts that read a field of it still find it.
 */
export function markerOf(text: string): string {
  if (isJsonText(text)) return text.replaceAll(jsonToken, markedToken);
  const kept = [...text.matchAll(structure), ...(text.trim().includes('\n') ? text.matchAll(keysOfLines) : [])];
  const marked = rotateAround(kept, text);
  if (marked !== text) return marked;
  const rotatedAll = rotate(text);
  return rotatedAll === text ? withLetters(text) : rotatedAll;
}

/** For a text without ASCII letters and digits, such as a passphrase in Cyrillic. */
const withLetters = (text: string): string =>
  text.replaceAll(/[^\s]/g, (unit) => letters[unit.charCodeAt(0) % letters.length] ?? '');

/** Rotates the text between the kept pieces. In one pass, since a secret may have a hundred thousand lines. */
function rotateAround(kept: readonly RegExpExecArray[], text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { index, 0: piece } of kept.toSorted((a, b) => a.index - b.index)) {
    const from = Math.max(at, index);
    const to = Math.max(from, index + piece.length);
    parts.push(rotate(text.slice(at, from)), text.slice(from, to));
    at = to;
  }
  return parts.join('') + rotate(text.slice(at));
}

/** A number with different digits and at most the same length. */
export const markedNumber = (value: number): number => Number(withoutLeadingZero(rotate(String(value))));

const jsonToken = /"(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d[\d.]*/g;

function markedToken(token: string): string {
  if (token.endsWith(':')) return token;
  if (!token.startsWith('"')) return withoutLeadingZero(rotate(token));
  return token.replaceAll(/\\u[0-9a-fA-F]{4}|\\.|[0-9A-Za-z]/g, (piece) => rotated.get(piece) ?? piece);
}

const withoutLeadingZero = (digits: string): string => digits.replace(/^(-?)0(?=\d)/, '$19');

function isJsonText(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
