import type { ReadCredentials } from './read-credentials.ts';
import type { RegistryClient } from './registry-client.ts';
import type { RegistrySource } from './registry-source.ts';

/** A registry as its settings describe it, and how to reach it. */
export interface DescribedRegistry {
  source: RegistrySource;
  connect(readCredentials: ReadCredentials): RegistryClient;
}
