import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';

/** Extracts the files below `prefix` into `folder`. (Yauzl refuses names that would lead outside.) */
export async function unzip(file: string, folder: string, prefix: string, signal: AbortSignal): Promise<void> {
  const zip = await openPromise(file, { lazyEntries: true });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.startsWith(prefix) || entry.fileName.endsWith('/')) continue;
      const path = join(folder, entry.fileName.slice(prefix.length));
      await mkdir(dirname(path), { recursive: true });
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path), { signal });
    }
  } finally {
    zip.close();
  }
}
