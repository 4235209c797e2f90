import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeImage } from './write-image.ts';

/**
 * Writes the archive of the image whose only process holds the namespaces of a pod. It runs a sleeping busybox, because the usual
 * image is in a public registry.
 */
export async function writePauseImage(folder: string, name: string, signal: AbortSignal): Promise<string> {
  const root = join(folder, 'pause');
  await mkdir(root, { recursive: true });
  await copyFile('/bin/busybox', join(root, 'busybox'));
  const archive = await writeImage({ name, root, entrypoint: ['/busybox', 'sleep', 'infinity'], folder, signal });
  await rm(root, { recursive: true });
  return archive;
}
