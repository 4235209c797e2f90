import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@berth/shared/bus/bus';
import { chartArchives } from '@berth/shared/contracts/chart-archives';
import type { ClaimedTask } from '@berth/shared/contracts/runner-tasks';
import { permanent, transient } from './task-failure.ts';

const maxCharts = 200;

export interface ChartCacheDeps {
  folder: string;
  bus: Pick<Bus, 'call' | 'objects'>;
}

export type ChartCache = ReturnType<typeof createChartCache>;

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Packaged charts by digest, on disk. What lies here is verified at every use: it decides what runs in a cluster. */
export function createChartCache({ folder, bus }: ChartCacheDeps) {
  const fileOf = (digest: string) => join(folder, `${digest.replace('sha256:', '')}.tgz`);

  async function fetch({ helm_chart_id, digest }: NonNullable<ClaimedTask['chart']>): Promise<Uint8Array> {
    const stored = await bus.objects.get(digest);
    if (stored) return stored;
    // The object store is a cache like everything in NATS: its owner fetches the archive again.
    await bus.call(chartArchives.operations.ensure, { body: { helm_chart_id } }, { deadlineMs: 20_000 });
    const refetched = await bus.objects.get(digest);
    if (!refetched) throw transient('The packaged chart could not be fetched from its registry again');
    return refetched;
  }

  async function prune(): Promise<void> {
    const names = await readdir(folder);
    if (names.length <= maxCharts) return;
    const files = await Promise.all(
      names.map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })),
    );
    const oldest = files.toSorted((a, b) => a.usedAt - b.usedAt).slice(0, names.length - maxCharts);
    await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })));
  }

  return {
    /** Path of the verified archive. */
    async path(chart: NonNullable<ClaimedTask['chart']>): Promise<string> {
      if (!/^sha256:[0-9a-f]{64}$/.test(chart.digest)) throw permanent('The digest of the chart is malformed');
      const file = fileOf(chart.digest);
      const cached = await readFile(file).catch(() => null);
      if (cached && digestOf(cached) === chart.digest) {
        const now = new Date();
        await utimes(file, now, now).catch(() => undefined);
        return file;
      }
      const bytes = await fetch(chart);
      if (digestOf(bytes) !== chart.digest)
        throw permanent('The packaged chart does not have the digest it was recorded with');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const unfinished = `${file}.${randomUUID()}`;
      await writeFile(unfinished, bytes, { mode: 0o600 });
      await rename(unfinished, file);
      await prune();
      return file;
    },
  };
}
