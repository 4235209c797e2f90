/** Parameters of a call besides its request. A service that acts on its own behalf may leave all of them out. */
export interface CallOptions {
  /** The signed identity that auth issued for this request, passed on unchanged. */
  identityToken?: string | undefined;
  requestId?: string | undefined;
  /** Remaining time in ms; 2,000 between services by default. */
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** The caller's `If-Match`, checked by the owner next to the row. */
  ifMatch?: string | undefined;
  /** The `instance` of the bus that receives an operation addressed to one process. */
  process?: string | undefined;
  /** The caller's `Idempotency-Key`, for operations that create. */
  idempotencyKey?: string | undefined;
  /** The network from which the request came, to limit or record attempts of strangers. */
  network?: string | undefined;
}
