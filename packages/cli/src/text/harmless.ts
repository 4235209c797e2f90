/** Category of control characters, and those that change the direction of text. */
const harmful = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A text without control characters, by which a name from elsewhere could rewrite what a terminal shows. */
export const harmless = (text: string): string => text.replaceAll(harmful, '\ufffd');

/** Before them, the styles that the command line itself writes. */
const harmfulInLines = new RegExp(
  String.raw`\u001b\[(?:[012]|3[123])m|[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]`,
  'gu',
);

/** The same for a text that the command line has put together: its lines, tabs and styles stay. */
export const harmlessLines = (text: string): string =>
  text.replaceAll(harmfulInLines, (code) => (code.length > 1 ? code : '\ufffd'));
