const mebibyte = 1024 * 1024;

/** The largest NATS server setting these are made for is `max_payload: 4MB`; see `natsServerConfig`. */
export const limits = {
  /** A body of 1 MiB, escaped, with its query. */
  requestBytes: 2 * mebibyte,
  responseBytes: 3 * mebibyte,
  maxPayload: 4 * mebibyte,
  objectBytes: 20 * mebibyte,
  /** Requests in flight per process, most of which wait for a connection; more are refused with `unavailable` at once. */
  requestsInFlight: 1_024,
  /** Bytes of all of them together. */
  requestBytesInFlight: 64 * mebibyte,
  callsInFlight: 4_096,
} as const;

/** All in ms. */
export const delays = {
  callDeadline: 2_000,
  /** With less time left, a request is refused: its work would be wasted. */
  leastDeadline: 5,
  longestDeadline: 120_000,
  connect: 10_000,
  pingInterval: 2_000,
  ownVoice: 5_000,
  /** For the first of two requests with the same `Idempotency-Key`. */
  sameKey: 3_000,
  stateAck: 2_000,
  drain: 20_000,
} as const;
