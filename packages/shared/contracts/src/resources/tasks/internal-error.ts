/** Reasons that users read if the cause is a bug, whose details are only in the logs. */
const becauseOfABug = (effect: string): string => `An internal error of the platform ${effect}`;

export const internalError = {
  beforeStart: becauseOfABug('kept the task from starting'),
  inTask: becauseOfABug('interrupted the task'),
  beforeCall: becauseOfABug('kept the call from being made'),
  inCall: becauseOfABug('interrupted the call'),
  inPlan: becauseOfABug('interrupted the plan'),
  inPoll: becauseOfABug('interrupted the poll'),
} as const;
