/** How a round visits the repositories of a registry. */
export interface RoundPlan {
  /** The pause after a repository in which nothing has changed, which spreads the requests over the interval. */
  pauseMs: number;
  /** Each repository costs one request: its tags are listed or, in some rounds, one known tag is checked instead. */
  isFrugal: boolean;
}

/** So many can be visited at once: all their known tags are checked when they are due. */
const fewRepositories = 100;
/** Leaves time to read what has changed. */
const shareOfInterval = 0.8;
/** One round in so many checks known tags, if some are due. */
const roundsPerCheck = 4;

export function planRound(repositories: number, pollIntervalMs: number, atOnce: number): RoundPlan {
  if (repositories <= fewRepositories) return { pauseMs: 0, isFrugal: false };
  return { pauseMs: (shareOfInterval * pollIntervalMs * atOnce) / repositories, isFrugal: true };
}

/**
 * `whole`: lists the tags, and checks the known ones that are due. `list`: lists them. `check`: checks one known tag that is due
 * instead, if there is one.
 */
export type Visit = 'whole' | 'list' | 'check';

/** How a round visits the repository at this position in its order. Neighbours in a frugal round differ. */
export function visitOf({ isFrugal }: RoundPlan, at: number, now: Date, pollIntervalMs: number): Visit {
  if (!isFrugal) return 'whole';
  return (Math.floor(now.getTime() / pollIntervalMs) + at) % roundsPerCheck === 0 ? 'check' : 'list';
}
