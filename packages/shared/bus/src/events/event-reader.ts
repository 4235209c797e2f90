import type { StateMessage } from '../state/publish-state.ts';

/** A change of a row, as its owner announced it, at its place in the stream of all events. */
export interface RowEvent {
  readonly sequence: number;
  readonly event: StateMessage<Readonly<Record<string, unknown>>>;
}

export interface EventStreamStatus {
  /** ISO time of the stream's creation: a change means that the stream was lost and recreated. */
  readonly created: string;
  /** The sequence of the oldest event that is kept; one above `last` where there is none. */
  readonly first: number;
  readonly last: number;
}

export interface EventBatch {
  readonly events: readonly RowEvent[];
  /** The sequence to go on from. */
  readonly next: number;
}

/** Reads the events of all owners by their sequence. It keeps nothing on the server. */
export interface EventReader {
  /** Throws `unavailable` while there is no stream or no server. */
  status(): Promise<EventStreamStatus>;
  /** The events from a sequence on, in order, at most 500 of them and 1 MiB. */
  read(from: number): Promise<EventBatch>;
}
