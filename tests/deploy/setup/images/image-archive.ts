import { join } from 'node:path';

/** The archive of an image that the set-up has built, in the format of `docker load`. */
export function imageArchive(name: string): string {
  // oxlint-disable-next-line node/no-process-env -- set by the set-up, in another process
  const folder = process.env['BERTH_IMAGES'];
  if (folder === undefined) throw new Error('the set-up has built no images');
  return join(folder, `berth-${name}.docker.tar`);
}
