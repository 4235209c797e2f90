/** Category of control characters, and those that change the direction of text. */
const harmful = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A text without control characters, by which a name from elsewhere could rewrite what a terminal shows. */
export const harmless = (text: string): string => text.replaceAll(harmful, '\ufffd');
