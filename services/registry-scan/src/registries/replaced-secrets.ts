import type { HelmRegistryChanges } from '@berth/contracts/resources/charts/helm-registries';
import type { CreatedRegistryRepository, SealedSecrets } from './created-registry-repository.ts';
import type { RegistryChanges } from './registry-repository.ts';
import { type CredentialKeys, sealCredentials, sealPushToken } from './sealed-credentials.ts';

/** The secrets that a request replaces, or removes by null. */
type GivenSecrets = Pick<HelmRegistryChanges, 'credentials' | 'push_token'>;

interface Store {
  registries: Pick<RegistryChanges, 'noteSecret'>;
  createdRegistries: Pick<CreatedRegistryRepository, 'replaceCredentials' | 'replacePushToken'>;
}

export const givesSecrets = ({ credentials, push_token }: GivenSecrets): boolean =>
  credentials !== undefined || push_token !== undefined;

export const sealGiven = (
  keys: CredentialKeys,
  id: string,
  { credentials, push_token: token }: GivenSecrets,
): Partial<SealedSecrets> => ({
  ...(credentials !== undefined && {
    credentials: credentials === null ? null : sealCredentials(keys, id, credentials),
  }),
  ...(token !== undefined && { pushToken: token === null ? null : sealPushToken(keys, id, token) }),
});

export async function replaceSecrets(
  { registries, createdRegistries }: Store,
  id: string,
  { credentials, pushToken }: Partial<SealedSecrets>,
): Promise<void> {
  if (credentials !== undefined) {
    await createdRegistries.replaceCredentials(id, credentials);
    await registries.noteSecret(id, 'credentials_set_at', credentials !== null);
  }
  if (pushToken !== undefined) {
    await createdRegistries.replacePushToken(id, pushToken);
    await registries.noteSecret(id, 'push_token_set_at', pushToken !== null);
  }
}

/** What the audit log says of them. */
export const secretsInAudit = ({ credentials, push_token: token }: GivenSecrets): Record<string, string> => ({
  ...(credentials !== undefined && { credentials: credentials === null ? 'removed' : 'replaced' }),
  ...(token !== undefined && { push_token: token === null ? 'removed' : 'replaced' }),
});
