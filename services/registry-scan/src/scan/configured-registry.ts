import { atMost, type InTurn } from '@berth/service/waiting/at-most';
import type { RegistryClient } from '../oci/client/registry-client.ts';
import type { RegistrySource } from '../oci/registry-source.ts';

/** A configured registry and its client. */
export interface ConfiguredRegistry {
  source: RegistrySource;
  client: RegistryClient;
  /** Limits how many of its packages are in memory at a time. */
  packages: InTurn;
}

/** Per registry, so that a slow one does not delay the others. */
const packagesAtOnce = 2;

export const configuredRegistry = (source: RegistrySource, client: RegistryClient): ConfiguredRegistry => ({
  source,
  client,
  packages: atMost(packagesAtOnce),
});
