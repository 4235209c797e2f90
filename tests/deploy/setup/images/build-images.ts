import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));

export interface BuildImages {
  /** `npm run build` has just made their contents. */
  readonly contentsAreBuilt: boolean;
}

/** Builds all images of this checkout as archives for `docker load` and containerd. Returns their folder. */
export async function buildImages({ contentsAreBuilt }: BuildImages): Promise<string> {
  const output = join(root, 'dist/images');
  const options = ['--builder', 'buildah', '--format', 'docker', '--tag', '0.1.0', '--output', output];
  const steps = [...(contentsAreBuilt ? [] : [['scripts/build.ts']]), ['scripts/images/images-main.ts', ...options]];
  for (const args of steps) {
    await run(process.execPath, args, { cwd: root, timeout: 30 * 60_000, maxBuffer: 64 * 1024 ** 2 });
  }
  return output;
}
