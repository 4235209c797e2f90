/** Control characters, those that change the direction of text, and separators of lines and paragraphs. */
const harmful = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Removes control characters: with them, a stranger's text could rewrite what the terminal shows. */
export const harmless = (text: string): string => text.replaceAll(harmful, '\ufffd');

/** The styles that the command line itself writes. */
const harmfulInLines = new RegExp(
  String.raw`\u001b\[(?:[012]|3[123])m|[^\P{Cc}\t\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]`,
  'gu',
);

/** The same for a text that the command line has composed: its line ends, tabs and styles stay. */
export const harmlessLines = (text: string): string =>
  text.replaceAll(harmfulInLines, (code) => (code.length > 1 ? code : '\ufffd'));
