export const StateOperation = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type StateOperation = (typeof StateOperation)[number];

/** The last known state of a row, stored in its owner's stream for services with a projection. */
export interface StateMessage<Row = unknown> {
  resource: string;
  id: string;
  /** Grows with every change of the row; followers ignore messages with a lower or equal version. */
  version: number;
  env_id: string | null;
  operation: StateOperation;
  /** The public row; for a deletion, its last state. */
  row: Row;
  traceparent?: string | undefined;
}

export interface StreamStatus {
  /** ISO time of the stream's creation: if it changes, the stream was lost and recreated. */
  created: string;
  lastSeq: number;
  /** The share of the stream's limit that is used; 1 if it is full. */
  used: number;
}

export interface StatePublisher {
  /** Publishes with `Nats-Msg-Id` and waits for the acknowledgement. */
  publish(message: StateMessage): Promise<void>;
  /** Publishes an event about a changed row, kept for an hour; `row` is its `eventRow`. */
  announce(event: StateMessage): Promise<void>;
  /** Creates the stream and its followers' consumers where they are missing, and returns the stream's status. */
  ensureStream(): Promise<StreamStatus>;
  /** Publishes the number and hash of an owner's rows, for followers to compare. */
  publishDigest(digest: StateDigest): void;
  /**
   * Called when a follower's projection differed twice in a row: the callback must publish every row of the resource again, with
   * versions above `highest`, the highest of the projection. Every replica of the owner is called. Errors are logged; the
   * follower asks again while the difference lasts.
   */
  onRepublishRequest(republish: (resource: string, highest: number) => Promise<void>): void;
}

export interface StateDigest {
  resource: string;
  count: number;
  /** Order-independent hash over (id, version) of the live rows. */
  hash: string;
  /** Every live row of the owner has this version or a higher one. */
  lowest: number;
}
