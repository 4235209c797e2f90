/** The words for a broken rule, where a value that is missing altogether is told apart from a wrong one. */
export const ruleWords = (words: string) => ({
  error: ({ input }: { input?: unknown }): string => (input === undefined ? 'is required' : words),
});
