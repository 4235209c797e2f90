import { hash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@berth/shared/bus/bus';
import { chartArchives } from '@berth/shared/contracts/resources/chart-archives';
import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';
import { permanent, transient } from '../outcome/task-failure.ts';

/** A tmpfs is a good place for it, so it stays small. */
const defaultMaxBytes = 256 * 1024 * 1024;
const nameOfArchive = /^[0-9a-f]{64}\.tgz$/;

/** Far more than the largest archive has. */
const maxParts = 100;

type Chart = NonNullable<ClaimedTask['chart']>;
type Claim = Pick<ClaimedTask, 'task_id' | 'fence'>;

export interface ChartCacheDeps {
  folder: string;
  bus: Pick<Bus, 'call'>;
  maxBytes?: number;
}

export type ChartCache = Awaited<ReturnType<typeof openChartCache>>;

const digestOf = (bytes: Uint8Array): string => `sha256:${hash('sha256', bytes, 'hex')}`;

/** Packaged charts by digest, on disk. What lies here is verified at every use: it decides what runs in a cluster. */
export async function openChartCache({ folder, bus, maxBytes = defaultMaxBytes }: ChartCacheDeps) {
  const fileOf = (digest: string) => join(folder, `${digest.replace('sha256:', '')}.tgz`);
  const underWay = new Map<string, Promise<string>>();

  await mkdir(folder, { recursive: true, mode: 0o700 });
  // What a run before this one did not finish writing.
  for (const name of await readdir(folder))
    if (!nameOfArchive.test(name)) await rm(join(folder, name), { force: true });

  async function fetch({ digest }: Chart, claim: Claim): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let part = 0; part < maxParts; part += 1) {
      const body = { task_id: claim.task_id, fence: claim.fence, part };
      const read = await bus.call(chartArchives.operations.read, { body }, { deadlineMs: 20_000 });
      if (read.digest !== digest) {
        throw permanent('The packaged chart in the registry is another one than the deployment was made with');
      }
      parts.push(Buffer.from(read.data, 'base64'));
      if (parts.length >= read.parts) return Buffer.concat(parts);
    }
    throw permanent('The packaged chart is too large');
  }

  async function store(file: string, bytes: Uint8Array): Promise<void> {
    const unfinished = `${file}.${randomUUID()}`;
    try {
      await writeFile(unfinished, bytes, { mode: 0o600 });
      await rename(unfinished, file);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw transient('The runner could not store the packaged chart; its disk may be full', error);
    }
  }

  async function prune(): Promise<void> {
    const files = await Promise.all(
      (await readdir(folder)).map(async (name) => {
        const found = await stat(join(folder, name)).catch(() => null);
        return { name, bytes: found?.size ?? 0, usedAt: found?.mtimeMs ?? 0 };
      }),
    );
    let kept = 0;
    for (const { name, bytes } of files.toSorted((a, b) => b.usedAt - a.usedAt)) {
      kept += bytes;
      // The newest is the one that is needed now.
      if (kept > maxBytes && kept > bytes) await rm(join(folder, name), { force: true });
    }
  }

  async function verified(chart: Chart, claim: Claim): Promise<string> {
    const file = fileOf(chart.digest);
    const cached = await readFile(file).catch(() => null);
    if (cached && digestOf(cached) === chart.digest) {
      const now = new Date();
      await utimes(file, now, now).catch(() => undefined);
      return file;
    }
    const bytes = await fetch(chart, claim);
    if (digestOf(bytes) !== chart.digest)
      throw permanent('The packaged chart does not have the digest it was recorded with');
    await store(file, bytes);
    await prune();
    return file;
  }

  return {
    /** Path of the verified archive. Tasks that need the same one at once share the work. */
    async path(chart: Chart, claim: Claim): Promise<string> {
      if (!/^sha256:[0-9a-f]{64}$/.test(chart.digest)) throw permanent('The digest of the chart is malformed');
      const asked = underWay.get(chart.digest);
      // What another task asked for fails with the claim of that task.
      if (asked) return asked.catch(() => verified(chart, claim));
      const asking = verified(chart, claim).finally(() => underWay.delete(chart.digest));
      underWay.set(chart.digest, asking);
      return asking;
    },
  };
}
