import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'rolldown';

/** Writes each text of a build compressed beside it, so that the gateway compresses nothing per request. */
export const precompress: Plugin = {
  name: 'precompress',
  async writeBundle({ dir = '' }) {
    const files = await readdir(dir, { recursive: true });
    await Promise.all(files.filter((file) => /\.(js|css|svg)$/.test(file)).map((file) => compress(join(dir, file))));
  },
};

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
  await writeFile(`${file}.gz`, await promisify(gzip)(content));
}
