import type { DescribedQueue } from './event-queue.ts';
import type { ReadCredentials } from './read-credentials.ts';
import type { OnRequest } from './registry-session.ts';
import type { RegistryClient } from './registry-client.ts';
import type { RegistrySource } from './registry-source.ts';

export interface ConnectionNeeds {
  readCredentials: ReadCredentials;
  onRequest: OnRequest;
  /** The repositories that are ever asked for, where no others are. */
  only?: readonly string[] | undefined;
}

/** A registry as its settings describe it, and how to reach it. */
export interface DescribedRegistry {
  source: RegistrySource;
  connect(needs: ConnectionNeeds): RegistryClient;
  /** Where it reports pushes, if the service has to receive them there. */
  events?: DescribedQueue | undefined;
}
