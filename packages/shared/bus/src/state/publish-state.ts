export const StateOperation = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type StateOperation = (typeof StateOperation)[number];

/** The last known state of one row, as its owner's stream keeps it for services with a projection. */
export interface StateMessage<Row = unknown> {
  resource: string;
  id: string;
  /** Grows with every change of the row; followers ignore a message with a lower or equal one. */
  version: number;
  env_id: string | null;
  operation: StateOperation;
  /** The public row; for a deletion, the last one. */
  row: Row;
  traceparent?: string | undefined;
}

export interface StreamStatus {
  /** ISO time of the stream's creation: a change means that the stream was lost and recreated. */
  created: string;
  lastSeq: number;
  /** The used share of the bytes that the stream may hold; 1 if it is full. */
  used: number;
}

export interface StatePublisher {
  /** Publishes with `Nats-Msg-Id` and waits for the acknowledgement. */
  publish(message: StateMessage): Promise<void>;
  /** Publishes an event about a changed row, kept for an hour; `row` is its `eventRow`. */
  announce(event: StateMessage): Promise<void>;
  /** Creates the stream and its followers' consumers where they are missing, and returns the stream's status. */
  ensureStream(): Promise<StreamStatus>;
  /** Publishes count and hash of an owner's table, for followers to compare with. */
  publishDigest(digest: StateDigest): void;
  /**
   * Called when a follower's projection differed twice in a row: publish every row of that resource again, with versions
   * above `highest`, the highest of the projection.
   * Each replica of the owner is called. A throw is logged; the follower repeats the request while the difference stays.
   */
  onRepublishRequest(republish: (resource: string, highest: number) => Promise<void>): void;
}

export interface StateDigest {
  resource: string;
  count: number;
  /** Order-independent hash over (id, version) of the live rows. */
  hash: string;
  /** No live row of the owner has a lower version. */
  lowest: number;
}
