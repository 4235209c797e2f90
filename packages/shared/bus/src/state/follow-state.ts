import type { Resource } from '@berth/contracts/definition/contract';
import type { StateDigest, StateMessage } from './publish-state.ts';

export interface FollowOptions {
  /** Called with one change at a time. Must be idempotent (compare versions). If it throws, it is called again with back-off. */
  apply(message: StateMessage): Promise<void>;
  /** Called with each digest of the owner. After two mismatches in a row the follower requests the table again. */
  matches?(digest: StateDigest): Promise<boolean>;
  /** The highest version in the projection, 0 if it is empty; the owner publishes again with higher ones. */
  highest?(): Promise<number>;
  signal: AbortSignal;
}

export interface StateFollower {
  /**
   * Follows the state of a resource through a durable consumer until the signal aborts; recovers from the loss of stream and
   * consumer.
   */
  follow(resource: Resource, options: FollowOptions): Promise<void>;
}
