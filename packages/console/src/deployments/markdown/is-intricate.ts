/** Letters that begin something in Markdown. A page of prose with links and code has some hundred. */
const begins = /[*_[\]`<>!&~\\]/g;
const mostBegun = 1_500;

/** Quotes and lists in one another: the reader of Markdown enters each, and is out of stack after a thousand. */
const nested = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){20}/m;

/**
 * Whether a text would keep the page busy as Markdown: 64 KB can take minutes, since what begins and never ends is searched for again
 * and again. It is shown as it was written.
 */
export const isIntricate = (text: string): boolean =>
  nested.test(text) || [...text.matchAll(begins)].length > mostBegun;
