/** A document of a set. */
export const documentText = (text: string): string => `apiVersion: berth.dev/v1\n${text}\n`;
