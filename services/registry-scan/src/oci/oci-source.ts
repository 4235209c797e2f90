import type { RegistrySource } from '../connection/registry-source.ts';

/** A registry that speaks the distribution protocol. */
export interface OciSource extends RegistrySource {
  /** `host[:port]` of token servers, other than the registry itself, to which the credentials may be sent. */
  authHosts: readonly string[];
}
