import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that an installation keeps for the next one, which contain times and paths of this machine. */
const ofTheInstallation = new Set([
  '.bin',
  '.modules.yaml',
  '.pnpm-workspace-state-v1.json',
  'lock.yaml',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
]);

/** Types, source maps and documentation are only for developers. Licences stay. */
const forDevelopment = /(\.d\.[cm]?ts|\.map|\.flow|\.md|\.markdown|\.tsbuildinfo)$/i;
const licence = /^(licen[cs]e|notice|copying)/i;

/** Removes files that a running service does not read, so that images are small and reproducible. */
export async function leaveOutUnused(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isUnused = !entry.isDirectory() && forDevelopment.test(entry.name) && !licence.test(entry.name);
    if (ofTheInstallation.has(entry.name) || isUnused) await rm(path, { recursive: true, force: true });
    else if (entry.isDirectory()) await leaveOutUnused(path);
  }
}
