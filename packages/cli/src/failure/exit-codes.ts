/** How a command ended. */
export const exitCodes = { done: 0, failed: 1, usage: 2, refused: 3, timedOut: 4, cancelled: 130 } as const;
export type Outcome = keyof typeof exitCodes;
