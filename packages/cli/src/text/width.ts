import { eastAsianWidth } from 'get-east-asian-width';

/** How many columns of a terminal a text takes: wide letters such as 日 take two, combining marks none. */
export function widthOf(text: string): number {
  if (isAscii(text)) return text.length;
  return [...text].reduce((sum, letter) => sum + widthOfLetter(letter), 0);
}

/** The longest beginning of a text that fits into this many columns. */
export function startOf(text: string, columns: number): string {
  if (isAscii(text)) return text.slice(0, Math.max(0, columns));
  let width = 0;
  let start = '';
  for (const letter of text) {
    width += widthOfLetter(letter);
    if (width > columns) break;
    start += letter;
  }
  return start;
}

// oxlint-disable-next-line no-control-regex -- it is about all of ASCII
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** By code point, as most terminals count. `Intl.Segmenter` would be more exact, but takes longer to start than a whole command. */
const widthOfLetter = (letter: string): number =>
  /^[\p{Mn}\p{Me}\p{Cf}]$/u.test(letter) ? 0 : eastAsianWidth(letter.codePointAt(0) ?? 0);
