const mebibyte = 1024 * 1024;

/** These limits fit the NATS server setting `max_payload: 4MB`; see `natsServerConfig`. */
export const limits = {
  /** A body of 1 MiB after escaping, with its query. */
  requestBytes: 2 * mebibyte,
  responseBytes: 3 * mebibyte,
  maxPayload: 4 * mebibyte,
  objectBytes: 20 * mebibyte,
  /** Requests in flight per process, most of which wait for a connection. Above it, requests are refused with `unavailable`. */
  requestsInFlight: 1_024,
  /** The total size of these requests in bytes. */
  requestBytesInFlight: 64 * mebibyte,
  callsInFlight: 4_096,
} as const;

/** All in ms. */
export const delays = {
  callDeadline: 2_000,
  /** Requests with less time left are refused: their work would be wasted. */
  leastDeadline: 5,
  longestDeadline: 120_000,
  connect: 10_000,
  pingInterval: 2_000,
  ownVoice: 5_000,
  /** How long a repeat waits for the first request with the same `Idempotency-Key`. */
  sameKey: 3_000,
  stateAck: 2_000,
  drain: 20_000,
  /** How long NATS may take to get the permissions of a part that has started, and how often that is tried. */
  grants: 60_000,
  grantsRetry: 2_000,
} as const;
