import { isIP } from 'node:net';
import { z } from 'zod';
import { isRepositoryName } from './names.ts';

const Range = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'is not an address or CIDR range');

/** One registry to scan, as configured. */
export const RegistrySource = z
  .strictObject({
    /** `https://registry.example.com`, without a path. */
    url: z.url({ protocol: /^https?$/ }),
    /** A JSON file `{"username", "password"}`, read for every challenge of the registry, so that it can be rotated. */
    credentials_file: z.string().min(1).optional(),
    /** The repositories to scan, for a registry that has no catalogue. */
    repositories: z.array(z.string().refine(isRepositoryName, 'is not a repository name')).max(10_000).optional(),
    /** Limits the scan to repositories with this prefix. */
    repository_prefix: z.string().max(255).default(''),
    poll_interval_seconds: z.number().positive().max(86_400).default(60),
    /** How often a known tag is checked for a new digest. */
    recheck_interval_seconds: z.number().positive().max(86_400).default(300),
    allow_http: z.boolean().default(false),
    /** Addresses or CIDR ranges that are allowed although they are denied by default, such as `127.0.0.0/8`. */
    allow_addresses: z.array(Range).default([]),
    /** `host[:port]` of token servers, other than the registry itself, to which the credentials may be sent. */
    auth_hosts: z.array(z.string().min(1)).default([]),
  })
  .transform((given, context) => {
    const { origin, host, hostname, pathname, username, password, protocol } = new URL(given.url);
    if (pathname !== '/' || username !== '' || password !== '') {
      context.addIssue({ code: 'custom', path: ['url'], message: 'must not have a path or credentials in it' });
    }
    if (protocol === 'http:' && !given.allow_http) {
      context.addIssue({ code: 'custom', path: ['url'], message: 'must be https unless allow_http is true' });
    }
    // An address that is configured as the URL is allowed.
    const literal = hostname.replace(/^\[|\]$/g, '');
    return {
      /** Host and port; charts and push events name the registry by it. */
      domain: host,
      url: new URL(origin),
      credentialsFile: given.credentials_file,
      repositories: given.repositories,
      repositoryPrefix: given.repository_prefix,
      pollIntervalMs: given.poll_interval_seconds * 1000,
      recheckIntervalMs: given.recheck_interval_seconds * 1000,
      allowHttp: given.allow_http,
      allowAddresses: isIP(literal) ? [...given.allow_addresses, literal] : given.allow_addresses,
      authHosts: given.auth_hosts,
    };
  });
export type RegistrySource = z.output<typeof RegistrySource>;
