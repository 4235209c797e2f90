import { cutText } from './cut-text.ts';

/** Control characters, and those that change the direction or the lines of the text around them. */
const unprintable = /[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** The text of a stranger on one line of at most `most` UTF-16 units: it cannot move a terminal's cursor or hide what follows. */
export const plainText = (text: string, most: number): string =>
  // Cut first: the text may have a megabyte.
  cutText(
    text
      .slice(0, 2 * most)
      .replaceAll(unprintable, ' ')
      .trim(),
    most,
  );
