import { JetStreamApiError, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { type ObjectInfo, type ObjectStore as NatsObjects, Objm } from '@nats-io/obj';
import { nanos } from '@nats-io/transport-node';
import { AppError, Bug } from '@berth/contracts/errors';
import type { Connection } from '../connection/connection.ts';
import { limits } from '../protocol/limits.ts';
import type { ObjectStore } from './object-store.ts';
import { streamIsMissing } from '../state/stream-is-missing.ts';
import { whileUp } from '../connection/while-up.ts';
import { digestOf } from './digest-of.ts';

export const chartBucket = 'charts';
export const chartStream = `OBJ_${chartBucket}`;

const keep = nanos(14 * 24 * 60 * 60_000);
/** Leaves room for the state, which is stored on the same disk. */
const bucketBytes = 512 * 1024 * 1024;
const bucketIsFull = 10_077;
const deadlineMs = 30_000;
const shapeOfDigest = /^sha256:[0-9a-f]{64}$/;

interface ChartStoreDeps {
  connection: Connection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  replicas: number;
}

/** Chart archives in JetStream's object store. Their digests are checked both when they are stored and when they are read. */
export function createChartStore({ connection, jetstream, manager, replicas }: ChartStoreDeps): ObjectStore {
  const objm = new Objm(jetstream);

  const open = (): Promise<NatsObjects> => objm.open(chartBucket, false);
  const create = (): Promise<NatsObjects> => objm.create(chartBucket, { ttl: keep, replicas, max_bytes: bucketBytes });

  async function get(digest: string, { signal }: { signal?: AbortSignal } = {}): Promise<Uint8Array | null> {
    checkShape(digest);
    const patience = AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(signal ? [signal] : [])]);
    const bytes = await orNull(() => whileUp(connection, () => read(digest, patience)));
    // A damaged archive counts as missing, so its owner fetches and stores it again.
    return bytes !== null && digestOf(bytes) === digest ? bytes : null;
  }

  async function read(digest: string, patience: AbortSignal): Promise<Uint8Array | null> {
    const info = await (await open()).info(digest);
    if (info === null || info.deleted) return null;
    if (info.size > limits.objectBytes) throw tooLarge();
    try {
      return await readChunks(info, patience);
    } catch (error) {
      if (!patience.aborted) throw error;
      throw new AppError('timeout', 'The chart archive did not arrive in time', { cause: error });
    }
  }

  /**
   * Reads each chunk by a request. The library's push consumer would not work: pushed messages stay in the account of the stream.
   */
  async function readChunks({ nuid, chunks, size }: ObjectInfo, patience: AbortSignal): Promise<Uint8Array | null> {
    const subject = `$O.${chartBucket}.C.${nuid}`;
    const read: Uint8Array[] = [];
    let seq = 1;
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      patience.throwIfAborted();
      const message = await manager.direct.getMessage(chartStream, { seq, next_by_subj: subject });
      if (message === null) return null;
      read.push(message.data);
      seq = message.seq + 1;
    }
    const bytes = Buffer.concat(read);
    return bytes.length === size ? bytes : null;
  }

  async function put(digest: string, bytes: Uint8Array): Promise<void> {
    checkShape(digest);
    if (bytes.length > limits.objectBytes) throw tooLarge();
    if (digestOf(bytes) !== digest) throw new Bug('the archive does not match its digest');
    const write = async () => {
      const objects = await create();
      await objects.putBlob({ name: digest }, bytes, { timeout: deadlineMs });
    };
    await whileUp(connection, () =>
      write().catch(async (error: unknown) => {
        if (!(error instanceof JetStreamApiError && error.code === bucketIsFull)) throw error;
        // Purging is safe: archives are fetched again when they are needed.
        await manager.streams.purge(chartStream);
        await write();
      }),
    );
  }

  return { get, put };
}

const tooLarge = (): AppError =>
  new AppError('too_large', `A chart archive has at most ${limits.objectBytes / 1024 / 1024} MiB`);

function checkShape(digest: string): void {
  if (!shapeOfDigest.test(digest)) throw new Bug('a chart archive is named by sha256:<64 hex digits>');
}

/** A missing bucket counts as empty and is created with the first archive. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (streamIsMissing(error)) return null;
    throw error;
  }
}
