const codes = { title: '1', good: '32', bad: '31', busy: '33', faint: '2' } as const;
export type Style = keyof typeof codes;

/** Not `styleText` of Node, which the oldest version that runs this does not have. */
export const styled = (style: Style, text: string): string => `\u001b[${codes[style]}m${text}\u001b[0m`;
