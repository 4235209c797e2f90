import type { ObjectStore } from '@berth/bus/objects/object-store';
import { AppError } from '@berth/contracts/errors';
import { LRUCache } from 'lru-cache';

export interface ReadArchivePartDeps {
  /** Fetches the archive into the object store if it is missing, and returns its digest. */
  ensure: (chartId: string) => Promise<string>;
  objects: Pick<ObjectStore, 'get'>;
}

export interface ArchivePart {
  digest: string;
  parts: number;
  data: Uint8Array;
}

/** The size of a part, which fits into one answer in base64. */
const partBytes = 1_500_000;
const maxKept = 4;
const keepMs = 60_000;

interface Kept {
  digest: string;
  archive: Uint8Array;
  until: number;
}

/** Runners read archives from here in parts. With access to JetStream they could direct its replies to any subject. */
export function readArchivePart({ ensure, objects }: ReadArchivePartDeps, now = () => performance.now()) {
  const kept = new LRUCache<string, Kept>({ max: maxKept });

  async function load(chartId: string): Promise<Kept> {
    const known = kept.get(chartId);
    if (known && known.until > now()) return known;
    const digest = await ensure(chartId);
    const archive = await objects.get(digest);
    if (!archive) throw new AppError('unavailable', 'The packaged chart was not found in the object store; try again');

    const loaded = { digest, archive, until: now() + keepMs };
    kept.set(chartId, loaded);
    return loaded;
  }

  return async (chartId: string, part: number): Promise<ArchivePart> => {
    const { digest, archive } = await load(chartId);
    const parts = Math.max(1, Math.ceil(archive.length / partBytes));
    if (part >= parts)
      throw new AppError('unprocessable', `body.part: must be less than ${parts}, the number of parts`);
    return { digest, parts, data: archive.subarray(part * partBytes, (part + 1) * partBytes) };
  };
}
