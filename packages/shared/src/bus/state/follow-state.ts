import type { Resource } from '../../contracts/contract.ts';
import type { StateDigest, StateMessage } from './publish-state.ts';

export interface FollowOptions {
  /** Applied one after the other; must be idempotent (compare versions). A throw is retried with back-off. */
  apply(message: StateMessage): Promise<void>;
  /** Called with each digest of the owner; the follower asks for a new publication after two mismatches in a row. */
  matches?(digest: StateDigest): Promise<boolean>;
  /** The highest version of the copy, 0 without any; what the owner publishes again gets higher ones. */
  highest?(): Promise<number>;
  signal: AbortSignal;
}

/** A place in the stream. Another `stream` means that it was lost and made anew: older places mean nothing in it. */
export interface StatePosition {
  stream: string;
  seq: number;
}

export interface WatchOptions {
  /** Starts behind this place; without it, with what is published from now on. */
  from?: StatePosition;
  /** Must not wait; what is slow belongs behind a bounded buffer of its own. */
  onMessage(message: StateMessage, position: StatePosition): void;
  /** What happened in between is not known: at a new stream, or when `from` lies in another one. */
  onGap?(): void;
  signal: AbortSignal;
}

export interface StateFollower {
  /** What changes, of all owners, for this process alone, without a durable consumer: for the gateway's event streams. */
  watch(options: WatchOptions): Promise<void>;
  /** Follows the state of a resource through a durable consumer until the signal aborts; survives the loss of stream and consumer. */
  follow(resource: Resource, options: FollowOptions): Promise<void>;
}
