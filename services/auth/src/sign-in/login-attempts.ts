import { hash, timingSafeEqual } from 'node:crypto';
import type { Database } from '@berth/db/database';
import { inBatches } from '@berth/db/postgres/in-batches';
import { seal, unsealWithAny } from '@berth/db/sealing/seal';
import { z } from 'zod';
import type { LoginSecrets } from './identity-provider.ts';
import { invalidLogin } from './login-failure.ts';
import { createLoginAttemptRepository } from './login-attempt-repository.ts';

export interface LoginAttemptsDeps {
  db: Database;
  keyEncryptionKey: Buffer;
  otherKeyEncryptionKeys?: readonly Buffer[];
}

interface Binding {
  /** Binds the attempt to the holder of the verifier. */
  challenge?: string | undefined;
  handTo?: string | undefined;
}

export interface LoginAttempts {
  begin(secrets: LoginSecrets, bound: Binding): Promise<void>;
  /** Where the page hands the code of this attempt; null if it keeps it. */
  destinationOf(state: string): Promise<string | null>;
  /** Uses the attempt up, even if the login fails later, and returns its secrets. */
  useUp(state: string, verifier: string | undefined): Promise<LoginSecrets>;
  forgetExpired(signal: AbortSignal): Promise<void>;
}

/** Time for a person to sign in at the provider, with a second factor. */
const lifetimeSeconds = 600;

const Sealed = z.strictObject({ nonce: z.string(), codeVerifier: z.string() });

export function createLoginAttempts({
  db,
  keyEncryptionKey,
  otherKeyEncryptionKeys = [],
}: LoginAttemptsDeps): LoginAttempts {
  const loginAttemptRepository = createLoginAttemptRepository(db);

  return {
    async begin({ state, ...secrets }, { challenge = null, handTo = null }) {
      const sealedSecrets = seal(keyEncryptionKey, boundTo(state), JSON.stringify(secrets));
      // A reader of the database must not learn a state that could finish somebody's login.
      const stateHash = sha256(state);
      await loginAttemptRepository.insert({ stateHash, sealedSecrets, challenge, handTo, lifetimeSeconds });
    },

    async destinationOf(state) {
      const attempt = await loginAttemptRepository.findDestination(sha256(state));
      if (attempt === null) throw invalidLogin();
      return attempt.hand_to;
    },

    async useUp(state, verifier) {
      const attempt = await loginAttemptRepository.useUp(sha256(state));
      // The same error for an unknown state and a wrong verifier, so that states cannot be probed.
      if (attempt === null || !isMeantFor(attempt.challenge, verifier)) throw invalidLogin();
      const keys = [keyEncryptionKey, ...otherKeyEncryptionKeys];
      const secrets = unsealWithAny(keys, boundTo(state), attempt.sealed_secrets);
      return { state, ...Sealed.parse(JSON.parse(secrets.toString())) };
    },

    forgetExpired: (signal) => inBatches(loginAttemptRepository.removeExpired, signal),
  };
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** A sealed secret that is copied to the row of another attempt cannot be opened. */
const boundTo = (state: string): string => `login attempt ${state}`;

/** An attempt that was started with a challenge can only be finished with its verifier. */
function isMeantFor(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return true;
  const shown = Buffer.from(verifier === undefined ? '' : sha256(verifier).toString('base64url'));
  const expected = Buffer.from(challenge);
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}
