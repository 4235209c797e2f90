import { hash } from 'node:crypto';
import type { Credential } from '@berth/contracts/resources/accounts/identities';

/** The key of a credential in caches: a hash, so that a memory dump does not contain credentials. */
export const hashOf = (credential: Credential): string =>
  hash('sha256', 'token' in credential ? `token ${credential.token}` : `jwt ${credential.jwt}`, 'base64url');
