import type { Service } from '@berth/service/service';
import { pause } from '@berth/service/waiting/pause';
import type { WrappedKey } from '../records/secret-record.ts';
import type { InTransaction, WritingStore } from '../store/store.ts';
import { type SealedRows, usedKeys } from './missing-keys.ts';
import { rewrap } from './sealed-contents.ts';
import { rewrapInputs } from './sealed-inputs.ts';
import { rewrapProps } from './sealed-props.ts';
import type { SecretKeys } from './secret-keys.ts';

export interface ResealDeps {
  store: SealedRows;
  inTransaction: InTransaction;
  secretKeys: SecretKeys;
  log: Pick<Service['log'], 'info' | 'error'>;
  signal: AbortSignal;
  /** Rows per transaction. Few, since others that lock the rows wait for its end. */
  batch?: number;
}

export interface Resealed {
  resealed: number;
  /** Secrets that cannot be opened, because their rows were changed outside Berth. */
  broken: string[];
  /** Other keys under which secrets are still sealed. */
  otherKeys: string[];
}

/** A pass skips locked rows, and a replica with the old key may still add rows. */
const maxPasses = 20;
const pauseMs = 250;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

/**
 * Wraps the data keys of all secrets under the current key, a batch at a time. Each batch is a transaction of its own, so the
 * next run continues one that was interrupted, and concurrent runs share the work. Requests are served meanwhile.
 */
export async function resealSecrets(deps: ResealDeps): Promise<Resealed> {
  const { secretKeys, signal } = deps;
  const broken = new Set<string>();
  let resealed = 0;
  let otherKeys = await otherKeysOf(deps);
  for (let pass = 0; pass < maxPasses && otherKeys.length > 0 && !signal.aborted; pass += 1) {
    if (pass > 0) await pause(pauseMs, signal);
    for (const keyId of otherKeys.filter((id) => secretKeys.ids.includes(id))) {
      for (const table of tables) resealed += await resealUnder(deps, table, { keyId, broken });
    }
    otherKeys = await otherKeysOf(deps);
  }
  return { resealed, broken: [...broken], otherKeys };
}

const otherKeysOf = async ({ store, secretKeys }: ResealDeps): Promise<string[]> =>
  (await usedKeys(store)).filter((id) => id !== secretKeys.current.id);

type Wrapped = { id: string } & WrappedKey;

/** The tables with sealed rows. */
interface Table {
  name: 'secrets' | 'deployment_resources' | 'deployment_task_inputs';
  /** Locks rows in the order of ids. `rewrap` wraps the data key of a row again. */
  lock(
    store: WritingStore,
    keys: SecretKeys,
    from: { keyId: string; after: string; most: number },
  ): Promise<{ id: string; rewrap: () => WrappedKey }[]>;
  save(store: WritingStore, row: Wrapped): Promise<void>;
}

const tables: readonly Table[] = [
  {
    name: 'secrets',
    lock: async ({ secrets }, keys, { keyId, after, most }) =>
      (await secrets.lockWrapped(keyId, after, most)).map((row) => ({ id: row.id, rewrap: () => rewrap(keys, row) })),
    save: ({ secretChanges }, row) => secretChanges.saveWrapped(row),
  },
  {
    name: 'deployment_resources',
    lock: async ({ resources }, keys, { keyId, after, most }) =>
      (await resources.lockWrapped(keyId, after, most)).map((row) => ({
        id: row.id,
        rewrap: () => rewrapProps(keys, row),
      })),
    save: ({ resourceChanges }, row) => resourceChanges.saveWrapped(row),
  },
  {
    name: 'deployment_task_inputs',
    lock: async ({ taskInputs }, keys, { keyId, after, most }) =>
      (await taskInputs.lockWrapped(keyId, after, most)).map((row) => ({
        id: row.task_id,
        rewrap: () => rewrapInputs(keys, row),
      })),
    save: ({ taskInputsChanges }, row) => taskInputsChanges.saveWrapped(row),
  },
];

interface Under {
  keyId: string;
  broken: Set<string>;
}

async function resealUnder(deps: ResealDeps, table: Table, { keyId, broken }: Under): Promise<number> {
  let resealed = 0;
  for (let after: string | undefined = beforeAllIds; after !== undefined && !deps.signal.aborted; ) {
    const from: string = after;
    const done = await deps.inTransaction((store) => resealBatch(deps, store, { table, keyId, after: from, broken }));
    resealed += done.resealed;
    after = done.last;
  }
  if (resealed > 0)
    deps.log.info({ resealed, table: table.name, key_id: keyId }, 'rows were sealed under the current key');
  return resealed;
}

async function resealBatch(
  { secretKeys, log, batch = 100 }: ResealDeps,
  store: WritingStore,
  { table, keyId, after, broken }: Under & { table: Table; after: string },
): Promise<{ resealed: number; last: string | undefined }> {
  const rows = await table.lock(store, secretKeys, { keyId, after, most: batch });
  let resealed = 0;
  for (const row of rows) {
    const wrapped = tryRewrap(row.rewrap);
    if ('failure' in wrapped) {
      if (!broken.has(row.id)) {
        log.error({ err: wrapped.failure, table: table.name, id: row.id }, 'a sealed row does not open');
      }
      broken.add(row.id);
      continue;
    }
    await table.save(store, { id: row.id, ...wrapped });
    resealed += 1;
  }
  if (resealed > 0) {
    await store.recordAudit({
      by: { identity: undefined, requestId: null },
      action: 'rotate key',
      resource: table.name,
      objectId: null,
      envId: null,
      details: { rows: resealed, from_key: keyId, to_key: secretKeys.current.id },
    });
  }
  return { resealed, last: rows.at(-1)?.id };
}

function tryRewrap(again: () => WrappedKey): WrappedKey | { failure: unknown } {
  try {
    return again();
  } catch (failure) {
    return { failure };
  }
}
