/** What a request may take in all, in ms; authentication and the owner's work share it. */
export const requestBudgetMs = 5_000;

export const remainingOf = (startedAt: number): number =>
  Math.max(0, requestBudgetMs - (performance.now() - startedAt));
