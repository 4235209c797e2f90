import { basicAuthorization, type ReadCredentials } from './read-credentials.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryAuthorization } from './registry-session.ts';

/** Sends user and password with each request, as Helm does: many servers answer 404 to strangers, not a challenge. */
export const basicOnly = (domain: string, readCredentials: ReadCredentials): RegistryAuthorization => ({
  async known() {
    const credentials = await readCredentials();
    return credentials ? basicAuthorization(credentials) : undefined;
  },
  async answer() {
    const words = (await readCredentials())
      ? 'refuses the credentials'
      : 'requires credentials, and none are configured for it';
    throw new RegistryError('denied', `${domain} ${words}`);
  },
});
