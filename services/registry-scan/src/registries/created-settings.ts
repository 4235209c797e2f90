import { isIP } from 'node:net';
import { AppError } from '@berth/contracts/errors';
import type { NewHelmRegistry, RegistryProvider } from '@berth/contracts/resources/charts/helm-registries';
import { addressRules } from '@berth/egress/address-rules';
import { z } from 'zod';
import { commonSettings } from '../connection/registry-source.ts';
import type { DescribedRegistry } from '../connection/described-registry.ts';
import { hasPushToken, RegistrySettings } from '../providers/providers.ts';

/** What created registries may reach besides https to public and private addresses, as operators allow it. */
export const Allowances = z.strictObject({
  allow_http: commonSettings.allow_http,
  allow_addresses: commonSettings.allow_addresses,
  ca_file: commonSettings.ca_file,
});
export type Allowances = z.infer<typeof Allowances>;

/** What is stored of a created registry. */
export const CreatedSettings = z.strictObject({
  type: z.enum(['oci', 'helm-repository']),
  url: z.string(),
  repositories: z.tuple([z.string()]),
  auth_hosts: z.array(z.string()).optional(),
  poll_interval_seconds: z.number().optional(),
  recheck_interval_seconds: z.number().optional(),
});
export type CreatedSettings = z.infer<typeof CreatedSettings>;

const types = { Oci: 'oci', HelmRepo: 'helm-repository' } as const;

export const createdSettings = (body: NewHelmRegistry): CreatedSettings =>
  CreatedSettings.parse({
    type: types[body.provider],
    url: body.url,
    repositories: [body.repo_name],
    // Absent settings stay absent: a provider refuses the name of one that it does not know.
    ...(body.auth_hosts && { auth_hosts: body.auth_hosts }),
    ...(body.poll_interval_seconds && { poll_interval_seconds: body.poll_interval_seconds }),
    ...(body.recheck_interval_seconds && { recheck_interval_seconds: body.recheck_interval_seconds }),
  });

/** The field of a request that a setting comes from. */
const fieldOf: Record<string, string> = { repositories: 'repo_name', type: 'provider' };

/** Throws `invalid`, naming the field of the request, if the settings break a rule. */
export function describeCreated(settings: CreatedSettings, allowances: Allowances): DescribedRegistry {
  const { data, error } = RegistrySettings.safeParse({ ...settings, ...allowances });
  if (error) {
    const [issue] = error.issues;
    if (issue?.code === 'unrecognized_keys') throw invalid(issue.keys[0] ?? '', 'does not fit this provider');
    const setting = String(issue?.path[0] ?? 'url');
    throw invalid(fieldOf[setting] ?? setting, issue?.message ?? 'is invalid');
  }
  // Operators may name an address of this machine by its number; a caller of the API may not.
  const literal = data.source.url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !addressRules(allowances.allow_addresses)(literal)) {
    throw invalid('url', 'is an address that is not allowed: the setting CREATED_REGISTRIES can allow it');
  }
  return data;
}

/**
 * Throws `invalid` if the URL may hold a token: it is stored and logged as it is. Not for registries that exist: those that were created
 * before this rule go on.
 */
export function refuseQueryIn({ source: { url } }: DescribedRegistry): void {
  if (url.search !== '' || url.hash !== '') {
    throw invalid(
      'url',
      'must have no query and no fragment: a user name and a password or token belong in credentials',
    );
  }
}

/** Throws `invalid` if the provider knows no push token. */
export function refusePushTokenOf(provider: RegistryProvider): void {
  if (!hasPushToken[provider]) throw invalid('push_token', 'does not fit this provider');
}

function invalid(field: string, message: string): AppError {
  const path = `body.${field}`;
  return new AppError('invalid', `${path}: ${message}`, { errors: [{ path, message }] });
}
