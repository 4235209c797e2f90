import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const dayMs = 24 * 60 * 60_000;

/**
 * Writes each service as one file below a new folder, and returns this folder. A start from the sources loads a thousand modules,
 * most of them of libraries, and finding them takes two thirds of its processor time; a run of all tests starts services hundreds of
 * times. Files that a service reads are found beside its sources.
 */
export async function bundleServices({ root, cache }: { root: string; cache: string }): Promise<string> {
  const files: { path: string; code: string }[] = [];
  for await (const main of glob('services/*/src/main.ts', { cwd: root })) {
    files.push({ path: main.replace(/\.ts$/, '.js'), code: await bundleOf(join(root, main)) });
  }
  const digest = createHash('sha256');
  for (const { path, code } of files) digest.update(`${path}\0${code}\0`);
  // Another run may use the folder, so one that exists is never changed.
  const folder = join(cache, digest.digest('hex').slice(0, 16));
  if (!existsSync(folder)) await writeAtOnce(folder, files);
  await removeOld(cache, folder);
  return folder;
}

async function bundleOf(input: string): Promise<string> {
  await using bundle = await rolldown({
    input,
    platform: 'node',
    // A library that `pg` uses only if it is installed.
    external: ['pg-native'],
    plugins: [{ name: 'places of sources', transform: (code, id) => ({ code: withPlaces(code, id) }) }],
  });
  const { output } = await bundle.generate({ format: 'esm', keepNames: true, codeSplitting: false });
  return output[0].code;
}

const withPlaces = (code: string, id: string): string =>
  code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll(/\b__dirname\b/g, JSON.stringify(dirname(id)))
    .replaceAll(/\b__filename\b/g, JSON.stringify(id));

async function writeAtOnce(folder: string, files: readonly { path: string; code: string }[]): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const prepared = await mkdtemp(`${folder}.`);
  await writeFile(join(prepared, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const { path, code } of files) {
    await mkdir(join(prepared, dirname(path)), { recursive: true });
    await writeFile(join(prepared, path), code);
  }
  await rename(prepared, folder).catch(async (error: unknown) => {
    // Another run was faster.
    await rm(prepared, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
}

async function removeOld(cache: string, used: string): Promise<void> {
  for await (const name of glob('*', { cwd: cache })) {
    const folder = join(cache, name);
    if (folder === used) continue;
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > dayMs) await rm(folder, { recursive: true, force: true });
  }
}
