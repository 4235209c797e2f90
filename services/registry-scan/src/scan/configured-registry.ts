import pLimit from 'p-limit';
import type { RegistryClient } from '../oci/client/registry-client.ts';
import type { RegistrySource } from '../oci/registry-source.ts';
import type { WatchedRegistry } from './scan-deps.ts';

/** For each registry by itself, so that one which is slow to send its packages is waited for by nobody else. */
const packagesAtOnce = 2;

export const watchRegistry = (source: RegistrySource, client: RegistryClient): WatchedRegistry => ({
  source,
  client,
  packages: pLimit(packagesAtOnce),
});
