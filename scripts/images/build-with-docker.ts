import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { imageName, type Naming, type Target } from './image-names.ts';

const run = promisify(execFile);

export interface BuildWithDocker {
  readonly root: string;
  readonly targets: readonly Target[];
  readonly naming: Naming;
  readonly base: string;
  readonly buildArguments: Readonly<Record<string, string>>;
  readonly epoch: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Builds the targets with BuildKit into the store of the Docker Engine. */
export async function buildWithDocker(request: BuildWithDocker): Promise<void> {
  const { root, targets, naming, base, buildArguments, epoch, environment, log, signal } = request;
  const given = Object.entries({ ...buildArguments, BASE: base, SOURCE_DATE_EPOCH: String(epoch) });
  const args = given.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  for (const target of targets) {
    const name = imageName(target, naming);
    // Provenance contains the build time, and folders are copied with their own times unless these are rewritten.
    const output = ['--provenance=false', '--output', `type=docker,name=${name},rewrite-timestamp=true`];
    const command = ['buildx', 'build', ...args, '--target', target, ...output, root];
    await run('docker', command, { env: environment, timeout: 900_000, maxBuffer: 64 * 1024 ** 2, signal });
    log(`${name} is in the Docker Engine`);
  }
}
