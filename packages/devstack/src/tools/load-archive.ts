import { execFile } from 'node:child_process';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { download } from './download.ts';
import { publishedChecksum } from './published-checksum.ts';
import type { Archive } from './tool-table.ts';
import { unzip } from './unzip.ts';
import type { Log } from './with-progress.ts';

const run = promisify(execFile);

/** Extracts the program of a released archive into `folder` as `name`. */
export async function loadArchive(
  { name, archive, folder }: { name: string; archive: Archive; folder: string },
  log: Log,
  signal: AbortSignal,
): Promise<string> {
  const program = join(folder, name);
  const file = join(folder, `${name}.download`);
  const sha256 = await publishedChecksum(archive, signal);
  await download({ url: archive.url, sha256, file }, log, signal);
  if (archive.member === undefined) {
    await rename(file, program);
  } else {
    const unpacked = join(folder, `${name}.unpacked`);
    await mkdir(unpacked);
    if (archive.url.endsWith('.zip')) await unzip(file, unpacked, '', signal);
    else await run('tar', ['-xzf', file, '-C', unpacked, archive.member], { signal, timeout: 120_000 });
    await rename(join(unpacked, archive.member), program);
    await rm(file);
  }
  await chmod(program, 0o755);
  return program;
}
