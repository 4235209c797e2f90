import type { StateMessage } from '../state/publish-state.ts';

/** A change of a row, as published by its owner, with its position in the stream of all events. */
export interface RowEvent {
  readonly sequence: number;
  readonly event: StateMessage<Readonly<Record<string, unknown>>>;
}

export interface EventStreamStatus {
  /** ISO time of the stream's creation: if it changes, the stream was lost and recreated. */
  readonly created: string;
  /** The sequence of the oldest stored event; `last + 1` if there is none. */
  readonly first: number;
  readonly last: number;
}

export interface EventBatch {
  readonly events: readonly RowEvent[];
  /** The sequence at which to continue. */
  readonly next: number;
}

/** Reads the events of all owners by their sequence. The server keeps no state for it. */
export interface EventReader {
  /** Throws `unavailable` while the stream or the server is missing. */
  status(): Promise<EventStreamStatus>;
  /** Events from a sequence on, in order; at most 500, and at most 1 MiB. */
  read(from: number): Promise<EventBatch>;
}
