/** Characters that begin something in Markdown. A page of prose with links and code has a few hundred. */
const begins = /[*_[\]`<>!&~\\]/g;
const mostBegun = 1_500;

/** Nested quotes and lists. The parser of Markdown recurses into each, and a thousand overflow its stack. */
const nested = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){20}/m;

/**
 * Whether a text would keep the page busy as Markdown: 64 KB can take minutes, since the parser searches again and again for the end
 * of what never ends. Such a text is shown as written.
 */
export const isIntricate = (text: string): boolean =>
  nested.test(text) || [...text.matchAll(begins)].length > mostBegun;
