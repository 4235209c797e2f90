/** The resources that a request uses. */
export interface Usage {
  /** Bytes of its body that were read. */
  bodyBytes: number;
  answerBytes: number;
  /** The processor time of parsing and checking the body, if it is not small. */
  cpuMs: number;
}

/** An identity sends larger bodies one at a time. */
export const largeBodyBytes = 64 * 1024;

/** The time of larger bodies is charged: their bytes say little, since 10,000 members fit into 30 KiB and take milliseconds. */
export const timedBodyBytes = 4 * 1024;

/**
 * A unit is about a millisecond of the gateway's event loop. Each request costs one. Bodies cost more than answers, because they
 * are decoded, parsed and checked, while answers are passed on.
 */
export const bytesPerUnit = { body: 32 * 1024, answer: 64 * 1024 } as const;

/** The units that a request costs in addition to the first one; 0 for small requests. */
export const unitsOf = ({ bodyBytes, answerBytes, cpuMs }: Usage): number =>
  Math.floor(bodyBytes / bytesPerUnit.body + answerBytes / bytesPerUnit.answer + cpuMs);
