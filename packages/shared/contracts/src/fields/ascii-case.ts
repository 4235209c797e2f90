/**
 * For identifiers. `toLowerCase` also turns U+212A, the sign of kelvin, into a `k`, which makes visibly different identifiers equal.
 */
export const asciiLowerCase = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Whether it has a character beside ASCII that lower case or normalization (NFKC) turns into ASCII. */
export const foldsToAscii = (text: string): boolean =>
  [...text].some((char) => char > '\u007f' && /[ -~]/.test(char.toLowerCase() + char.normalize('NFKC')));
