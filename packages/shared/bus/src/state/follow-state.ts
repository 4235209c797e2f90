import type { Resource } from '@berth/contracts/definition/contract';
import type { StateDigest, StateMessage } from './publish-state.ts';

export interface FollowOptions {
  /** Applied one after the other; must be idempotent (compare versions). A throw is retried with back-off. */
  apply(message: StateMessage): Promise<void>;
  /** Called with each digest of the owner; after two mismatches in a row the follower requests that the table be published again. */
  matches?(digest: StateDigest): Promise<boolean>;
  /** The highest version of the projection, 0 if empty; the owner publishes again with higher ones. */
  highest?(): Promise<number>;
  signal: AbortSignal;
}

export interface StateFollower {
  /** Follows the state of a resource through a durable consumer until the signal aborts; survives the loss of stream and consumer. */
  follow(resource: Resource, options: FollowOptions): Promise<void>;
}
