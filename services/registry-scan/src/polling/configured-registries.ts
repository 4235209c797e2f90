import type { Service } from '@berth/service/service';
import type { DescribedRegistry } from '../connection/described-registry.ts';
import { credentialsFile } from '../connection/read-credentials.ts';
import type { RegistryClient } from '../connection/registry-client.ts';
import type { OnRequest } from '../connection/registry-session.ts';
import { type ScannedRegistry, scannedRegistry } from '../scan/scanned-registry.ts';

interface ConfiguredRegistriesDeps extends Pick<Service, 'use'> {
  described: readonly DescribedRegistry[];
  onRequest: (domain: string) => OnRequest;
}

/** The registries that the setting `REGISTRIES` names. They stay while the service runs. */
export interface ConfiguredRegistries {
  readonly described: readonly DescribedRegistry[];
  /** By domain, which is also the key of their polls. */
  readonly scanned: ReadonlyMap<string, ScannedRegistry>;
  /** A new client for one repository; undefined if no registry of this domain is configured. */
  connect(domain: string, repository: string): RegistryClient | undefined;
}

export function createConfiguredRegistries(deps: ConfiguredRegistriesDeps): ConfiguredRegistries {
  const { described, onRequest, use } = deps;

  const connect = ({ source, connect: open }: DescribedRegistry, only?: readonly string[]): RegistryClient =>
    open({ readCredentials: credentialsFile(source.credentialsFile), onRequest: onRequest(source.domain), only });

  return {
    described,
    scanned: new Map(
      described.map((registry) => [registry.source.domain, scannedRegistry(registry.source, use(connect(registry)))]),
    ),
    connect(domain, repository) {
      const registry = described.find(({ source }) => source.domain === domain);
      return registry && connect(registry, [repository]);
    },
  };
}
