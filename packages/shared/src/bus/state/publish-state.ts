import type { z } from 'zod';

export const StateOperation = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type StateOperation = (typeof StateOperation)[number];

/** The last known state of one row, as its owner's stream keeps it for services with a copy. */
export interface StateMessage<Row = unknown> {
  resource: string;
  id: string;
  /** Grows with every change of the row; a smaller or equal one is old news. */
  version: number;
  env_id: string | null;
  operation: StateOperation;
  /** The public row; of a deleted one, its last. */
  row: Row;
  traceparent?: string | undefined;
}

export interface StreamStatus {
  /** ISO time of the stream's creation: another one means that it was lost and made anew. */
  created: string;
  lastSeq: number;
  /** Of the bytes that the stream may hold; 1 where it is full. */
  used: number;
}

export interface StatePublisher {
  /** Publishes with `Nats-Msg-Id` and waits for the acknowledgement. */
  publish(message: StateMessage): Promise<void>;
  /** Tells those who watch that a row changed, for an hour; `row` is `eventRow` of it. */
  announce(event: StateMessage): Promise<void>;
  /** Makes the stream where it is missing and tells its status. */
  ensureStream(): Promise<StreamStatus>;
  /** Tells count and hash of an owner's table, for consumers to compare with. */
  publishDigest(digest: StateDigest): void;
  /**
   * Called when a consumer found its copy to differ twice in a row: publish every row of that resource again, with
   * versions above `highest`, which is the highest of the copy.
   * Each replica of the owner is told. A throw is logged; the consumer asks again while the difference stays.
   */
  onRepublishAsked(republish: (resource: string, highest: number) => Promise<void>): void;
}

export interface StateDigest {
  resource: string;
  count: number;
  /** Order-independent hash over (id, version) of the live rows. */
  hash: string;
  /** No live row of the owner has a lower version. */
  lowest: number;
}

export type RowOf<R> = R extends { state?: { row: infer S } } ? (S extends z.ZodType ? z.output<S> : never) : never;
