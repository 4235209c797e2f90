/** The message for a broken rule; a missing value gets its own. */
export const ruleWords = (words: string) => ({
  error: ({ input }: { input?: unknown }): string => (input === undefined ? 'is required' : words),
});
