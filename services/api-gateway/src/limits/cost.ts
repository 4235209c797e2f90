/** What a request takes of the gateway besides being one. */
export interface Usage {
  /** Bytes of its body that were read. */
  bodyBytes: number;
  answerBytes: number;
  /** The time in which its body was parsed and checked, where it was a large one. */
  cpuMs: number;
}

/** A large body is parsed and checked for milliseconds, so its time counts, and an identity sends one at a time. */
export const largeBodyBytes = 64 * 1024;

/**
 * A unit is about a millisecond of the gateway's loop, and a request is one unit. Bodies cost more than answers: they are decoded,
 * parsed and checked, while answers are passed on.
 */
export const bytesPerUnit = { body: 32 * 1024, answer: 64 * 1024 } as const;

/** The units that a request costs besides its first one. Small requests cost none. */
export const unitsOf = ({ bodyBytes, answerBytes, cpuMs }: Usage): number =>
  Math.floor(bodyBytes / bytesPerUnit.body + answerBytes / bytesPerUnit.answer + cpuMs);
