import type { Resource } from '../contracts/contract.ts';
import type { StateDigest, StateMessage } from './publish-state.ts';

export interface FollowOptions {
  /** Applied one after the other; must be idempotent (compare versions). A throw is retried with back-off. */
  apply(message: StateMessage): Promise<void>;
  /** Called with each digest of the owner; the follower asks for a new publication after two mismatches in a row. */
  matches?(digest: StateDigest): Promise<boolean>;
  signal: AbortSignal;
}

export interface StateFollower {
  /** Follows the state of a resource through a durable consumer until the signal aborts; survives the loss of stream and consumer. */
  follow(resource: Resource, options: FollowOptions): Promise<void>;
}
