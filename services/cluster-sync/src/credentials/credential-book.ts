import type { WantedCredentials } from './credential-repository.ts';
import { credentialStep, type SecretState } from './credential-step.ts';
import type { FoundSecret } from './found-secret.ts';

/** The credentials of one deployment and their state. Times are of `performance.now()`. */
interface Entry {
  deploymentId: string;
  envId: string;
  digest: string | null;
  refreshAt: number;
  notBefore: number;
  differsSince: number | null;
  failures: number;
}

export interface DueCredentials {
  readonly namespace: string;
  readonly deploymentId: string;
  readonly envId: string;
  readonly why: 'repair' | 'refresh';
  readonly deadline: number;
}

export interface CredentialBookDeps {
  secretOf(namespace: string): Pick<FoundSecret, 'digest' | 'isOfChart'> | undefined;
  readonly betweenWritesMs: number;
}

/**
 * Decides which credentials of one cluster are due, by comparing the database (wanted) with the watch (found). The time is an
 * argument, so tests do not need a clock.
 */
export function createCredentialBook({ secretOf, betweenWritesMs }: CredentialBookDeps) {
  const entries = new Map<string, Entry>();

  const stateOf = (namespace: string, { digest }: Entry): SecretState => {
    const secret = secretOf(namespace);
    if (!secret) return 'absent';
    if (secret.isOfChart) return 'of_chart';
    return digest !== null && secret.digest === digest ? 'intact' : 'altered';
  };

  return {
    /** Replaces the wanted credentials and keeps the state of those that remain. */
    want(rows: readonly WantedCredentials[], now: number): void {
      const wanted = new Set(rows.map(({ namespace }) => namespace));
      for (const namespace of entries.keys()) if (!wanted.has(namespace)) entries.delete(namespace);
      for (const { namespace, deployment_id, env_id, digest, refresh_in_ms } of rows) {
        const known = entries.get(namespace);
        const isSame = known?.deploymentId === deployment_id;
        entries.set(namespace, {
          deploymentId: deployment_id,
          envId: env_id,
          digest,
          refreshAt: refresh_in_ms === null ? now : now + refresh_in_ms,
          notBefore: isSame ? known.notBefore : now,
          differsSince: isSame ? known.differsSince : null,
          failures: isSame ? known.failures : 0,
        });
      }
    },

    /** The credentials to write now, the most urgent first. */
    due(now: number, most: number): DueCredentials[] {
      const due: DueCredentials[] = [];
      for (const [namespace, entry] of entries) {
        const secret = stateOf(namespace, entry);
        if (secret === 'intact') {
          // The runner wrote it, so the reason for the hold has passed.
          entry.notBefore = Math.min(entry.notBefore, now + betweenWritesMs);
          entry.differsSince = null;
          // The fast path: nearly all entries, every second.
          if (now < entry.refreshAt) continue;
        }
        const differs = secret === 'absent' || secret === 'altered';
        entry.differsSince = differs ? (entry.differsSince ?? now) : null;
        const step = credentialStep({ secret, ...entry, differsSince: entry.differsSince ?? now }, now);
        if (step.step === 'rest') continue;
        const { deploymentId, envId } = entry;
        due.push({ namespace, deploymentId, envId, why: differs ? 'repair' : 'refresh', deadline: step.deadline });
      }
      return due.sort((one, other) => one.deadline - other.deadline).slice(0, most);
    },

    /** Another replica or the runner may have written since. Returns whether the Secret is as it was written. */
    learn(namespace: string, written: { digest: string; refreshInMs: number }, now: number): boolean {
      const entry = entries.get(namespace);
      if (!entry) return false;
      entry.digest = written.digest;
      // The Secret was right when it was written, so it has been changed since then.
      entry.differsSince = null;
      entry.refreshAt = now + written.refreshInMs;
      return stateOf(namespace, entry) === 'intact';
    },

    /** Returns the number of failures in a row. */
    failed(namespace: string): number {
      const entry = entries.get(namespace);
      if (entry) entry.failures += 1;
      return entry?.failures ?? 1;
    },

    fine(namespace: string): void {
      const entry = entries.get(namespace);
      if (entry) entry.failures = 0;
    },

    /** Holds writes until this time. */
    postpone(namespace: string, until: number): void {
      const entry = entries.get(namespace);
      if (entry) entry.notBefore = until;
    },
  };
}
export type CredentialBook = ReturnType<typeof createCredentialBook>;
