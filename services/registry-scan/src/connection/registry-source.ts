import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { RegistryProvider } from '@berth/contracts/resources/charts/helm-registries';
import { z } from 'zod';

/** A registry to scan. Providers keep what only they need beside it. */
export interface RegistrySource {
  provider: RegistryProvider;
  /** Charts name the registry by it: host, port and, where several share a host, the path. */
  domain: string;
  url: URL;
  credentialsFile: string | undefined;
  /** The repositories to scan; all that the registry lists unless given. */
  repositories: readonly string[] | undefined;
  repositoryPrefix: string;
  pollIntervalMs: number;
  recheckIntervalMs: number;
  allowHttp: boolean;
  allowAddresses: readonly string[];
  /** PEM certificates to trust in addition to those of the system. */
  ca: string | undefined;
}

const Range = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'is not an address or CIDR range');

/** The settings that registries of every provider have. */
export const commonSettings = {
  url: z.url({ protocol: /^https?$/ }),
  /** A JSON file `{"username", "password"}`, read whenever it is needed, so that it can be rotated. */
  credentials_file: z.string().min(1).optional(),
  /** A PEM file with certificates to trust in addition to those of the system. */
  ca_file: z.string().min(1).optional(),
  /** Limits the scan to repositories with this prefix. */
  repository_prefix: z.string().max(255).default(''),
  poll_interval_seconds: z.number().positive().max(86_400).default(60),
  /** How often a known tag is checked for a new digest. */
  recheck_interval_seconds: z.number().positive().max(86_400).default(300),
  allow_http: z.boolean().default(false),
  /** Addresses or CIDR ranges that are allowed although they are denied by default, such as `127.0.0.0/8`. */
  allow_addresses: z.array(Range).default([]),
};

/** The repositories to scan, by the grammar of their names. */
export const repositoriesSetting = (isName: (name: string) => boolean) =>
  z.array(z.string().refine(isName, 'is not a repository name')).max(10_000).optional();

type Common = z.output<z.ZodObject<typeof commonSettings>> & { repositories?: string[] | undefined };

/** The part of a source that is the same for every provider, checked. */
export function commonSource(
  given: Common,
  context: z.core.$RefinementCtx,
): Omit<RegistrySource, 'provider' | 'domain'> {
  const { hostname, username, password, protocol } = new URL(given.url);
  const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  if (username !== '' || password !== '') refuse('url', 'must not have credentials in it');
  if (protocol === 'http:' && !given.allow_http) refuse('url', 'must be https unless allow_http is true');

  // An address that is configured as the URL is allowed.
  const literal = hostname.replace(/^\[|\]$/g, '');
  return {
    url: new URL(given.url),
    credentialsFile: given.credentials_file,
    repositories: given.repositories,
    repositoryPrefix: given.repository_prefix,
    pollIntervalMs: given.poll_interval_seconds * 1000,
    recheckIntervalMs: given.recheck_interval_seconds * 1000,
    allowHttp: given.allow_http,
    allowAddresses: isIP(literal) ? [...given.allow_addresses, literal] : given.allow_addresses,
    ca: certificatesIn(given.ca_file, (message) => refuse('ca_file', message)),
  };
}

function certificatesIn(file: string | undefined, refuse: (message: string) => void): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    refuse(`${file} cannot be read`);
    return undefined;
  }
}
