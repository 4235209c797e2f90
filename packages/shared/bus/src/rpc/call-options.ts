/** What a call carries besides the request. All parts are optional for a service that acts on its own behalf. */
export interface CallOptions {
  /** The signed identity that auth issued for this request; passed on untouched. */
  identityToken?: string | undefined;
  requestId?: string | undefined;
  /** Remaining time in ms; 2,000 between services unless given. */
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** The caller's `If-Match`, checked by the owner next to the row. */
  ifMatch?: string | undefined;
  /** The `instance` of the bus that an operation for one process goes to. */
  process?: string | undefined;
  /** The caller's `Idempotency-Key`, for creations. */
  idempotencyKey?: string | undefined;
  /** The network that the request came from, for what counts or records attempts of strangers. */
  network?: string | undefined;
}
