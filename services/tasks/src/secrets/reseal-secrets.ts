import type { Service } from '@berth/shared/service/service';
import { pause } from '@berth/shared/waiting/pause';
import type { BoundTo, WrappedKey } from '../records/secret-record.ts';
import type { InTransaction, ReadingStore, WritingStore } from '../store/store.ts';
import { rewrap } from './sealed-contents.ts';
import type { SecretKeys } from './secret-keys.ts';

export interface ResealDeps {
  store: Pick<ReadingStore, 'secrets'>;
  inTransaction: InTransaction;
  secretKeys: SecretKeys;
  log: Pick<Service['log'], 'info' | 'error'>;
  signal: AbortSignal;
  /** Secrets in one transaction; whoever reads them meanwhile waits that long. */
  batch?: number;
}

export interface Resealed {
  resealed: number;
  /** Those that do not open: their rows were changed outside of Berth. */
  broken: string[];
  /** Keys that secrets are still sealed under, beside the current one. */
  otherKeys: string[];
}

/** A pass leaves out rows that are being changed; a replica that still seals under the old key makes new ones. */
const maxPasses = 20;
const pauseMs = 250;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

/**
 * Wraps the data keys of all secrets under the current key, a batch at a time. Each batch is a transaction of its own, so the
 * next run continues one that was cut off, and several runs at once share the work. Requests go on meanwhile.
 */
export async function resealSecrets(deps: ResealDeps): Promise<Resealed> {
  const { secretKeys, signal } = deps;
  const broken = new Set<string>();
  let resealed = 0;
  let otherKeys = await otherKeysOf(deps);
  for (let pass = 0; pass < maxPasses && otherKeys.length > 0 && !signal.aborted; pass += 1) {
    if (pass > 0) await pause(pauseMs, signal);
    for (const keyId of otherKeys.filter((id) => secretKeys.ids.includes(id))) {
      resealed += await resealUnder(deps, keyId, broken);
    }
    otherKeys = await otherKeysOf(deps);
  }
  return { resealed, broken: [...broken], otherKeys };
}

const otherKeysOf = async ({ store, secretKeys }: ResealDeps): Promise<string[]> =>
  (await store.secrets.keyIds()).filter((id) => id !== secretKeys.current.id);

async function resealUnder(deps: ResealDeps, keyId: string, broken: Set<string>): Promise<number> {
  let resealed = 0;
  for (let after: string | undefined = beforeAllIds; after !== undefined && !deps.signal.aborted; ) {
    const from: string = after;
    const done = await deps.inTransaction((store) => resealBatch(deps, store, { keyId, after: from, broken }));
    resealed += done.resealed;
    after = done.last;
  }
  if (resealed > 0) deps.log.info({ resealed, key_id: keyId }, 'secrets were sealed under the current key');
  return resealed;
}

async function resealBatch(
  { secretKeys, log, batch = 100 }: ResealDeps,
  store: WritingStore,
  { keyId, after, broken }: { keyId: string; after: string; broken: Set<string> },
): Promise<{ resealed: number; last: string | undefined }> {
  const rows = await store.secrets.lockWrapped(keyId, after, batch);
  let resealed = 0;
  for (const row of rows) {
    const wrapped = tryRewrap(secretKeys, row);
    if ('failure' in wrapped) {
      if (!broken.has(row.id)) log.error({ err: wrapped.failure, secret_id: row.id }, 'a secret does not open');
      broken.add(row.id);
      continue;
    }
    await store.secretChanges.saveWrapped({ id: row.id, ...wrapped });
    resealed += 1;
  }
  if (resealed > 0) {
    await store.recordAudit({
      by: { identity: undefined, requestId: null },
      action: 'rotate key',
      resource: 'secrets',
      objectId: null,
      envId: null,
      details: { secrets: resealed, from_key: keyId, to_key: secretKeys.current.id },
    });
  }
  return { resealed, last: rows.at(-1)?.id };
}

function tryRewrap(keys: SecretKeys, row: BoundTo & WrappedKey): WrappedKey | { failure: unknown } {
  try {
    return rewrap(keys, row);
  } catch (failure) {
    return { failure };
  }
}
