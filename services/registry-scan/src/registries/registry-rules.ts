import type { Allowances } from './created-settings.ts';
import type { CredentialKeys } from './sealed-credentials.ts';

/** What decides which registries can be created. */
export interface RegistryRules {
  allowances: Allowances;
  keys: CredentialKeys;
  /** Whether the configuration names the registry. */
  isConfigured: (domain: string) => boolean;
}
