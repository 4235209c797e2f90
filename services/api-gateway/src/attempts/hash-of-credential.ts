import { hash } from 'node:crypto';
import type { Credential } from '@berth/contracts/resources/accounts/identities';

/** What this process remembers of a credential: a dump of its memory is no collection of credentials. */
export const hashOf = (credential: Credential): string =>
  hash('sha256', 'token' in credential ? `token ${credential.token}` : `jwt ${credential.jwt}`, 'base64url');
