import { cutText } from './cut-text.ts';

/** Control characters, and characters that change direction or line breaks of the surrounding text. */
const unprintable = /[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/**
 * Untrusted text on one line of at most `most` UTF-16 units: it can neither move a terminal's cursor nor hide the text after it. `…`
 * marks a cut.
 */
export function plainText(text: string, most: number): string {
  // Cut first, since the text may have a megabyte.
  const start = text.slice(0, 2 * most);
  const plain = start.replaceAll(unprintable, ' ').trim();
  return cutText(start.length < text.length ? `${plain}…` : plain, most);
}
