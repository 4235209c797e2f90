import { singleFlights } from '@berth/service/waiting/single-flight';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@berth/bus/bus';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { permanent, transient } from '../outcome/task-failure.ts';
import { digestOf } from '@berth/bus/objects/digest-of';

/** Small, because the folder is best a tmpfs. */
const defaultMaxBytes = 256 * 1024 * 1024;
const archiveName = /^[0-9a-f]{64}\.tgz$/;

/** Far more than the largest archive needs. */
const maxParts = 100;

type Chart = NonNullable<ClaimedTask['chart']>;
type Claim = Pick<ClaimedTask, 'task_id' | 'fence'>;

export interface ChartCacheDeps {
  folder: string;
  bus: Pick<Bus, 'call'>;
  maxBytes?: number;
}

export type ChartCache = Awaited<ReturnType<typeof openChartCache>>;

/** Packaged charts by digest, on disk. Verified at every use, because they decide what runs in a cluster. */
export async function openChartCache({ folder, bus, maxBytes = defaultMaxBytes }: ChartCacheDeps) {
  const fileOf = (digest: string) => join(folder, `${digest.replace('sha256:', '')}.tgz`);
  const verifications = singleFlights<string>();

  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Removes unfinished writes of an earlier process.
  for (const name of await readdir(folder)) if (!archiveName.test(name)) await rm(join(folder, name), { force: true });

  async function fetch({ digest }: Chart, claim: Claim): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let part = 0; part < maxParts; part += 1) {
      const body = { task_id: claim.task_id, fence: claim.fence, part };
      const read = await bus.call(chartArchives.operations.read, { body }, { deadlineMs: 20_000 });
      if (read.digest !== digest) {
        throw permanent('The packaged chart in the registry differs from the one that the deployment was created with');
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
      // The most recent one is always kept: a task needs it now.
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
    if (digestOf(bytes) !== chart.digest) throw permanent('The packaged chart does not match its recorded digest');
    await store(file, bytes);
    await prune();
    return file;
  }

  return {
    /** Returns the path of the verified archive. Tasks that need the same archive at the same time share the work. */
    async path(chart: Chart, claim: Claim): Promise<string> {
      if (!/^sha256:[0-9a-f]{64}$/.test(chart.digest)) throw permanent('The digest of the chart is malformed');
      const shared = verifications.underWay(chart.digest);
      // The shared request may have failed because the claim of the task that sent it was over.
      if (shared) return shared.catch(() => verified(chart, claim));
      return verifications.run(chart.digest, () => verified(chart, claim));
    },
  };
}
