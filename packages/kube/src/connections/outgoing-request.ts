export interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The head of an answer, and its streamed body, which throws if it is cut off. Leaving the loop over it ends the request. */
export interface IncomingAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The headers `Warning`, as they were sent. */
  readonly warnings: readonly string[];
  readonly body: AsyncIterable<Uint8Array>;
}
