import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Builder = 'docker' | 'buildah';

export interface Machine {
  /** A Docker Engine with BuildKit answers. */
  readonly docker: boolean;
  readonly buildah: boolean;
  readonly mmdebstrap: boolean;
}

export interface Wish {
  readonly builder: Builder | undefined;
  /** Undefined means the best base that the builder can use. */
  readonly base: string | undefined;
}

export interface Choice {
  readonly builder: Builder;
  /** Undefined means a base image made from Debian's packages. */
  readonly base: string | undefined;
}

export const PUBLIC_BASE = 'node:24-bookworm-slim';

/**
 * Docker with the public base image if available, else buildah with a base made here. Otherwise throws an error that says what to
 * install.
 */
export function chooseBuilder(machine: Machine, wish: Wish): Choice {
  const builder = wish.builder ?? (machine.docker ? 'docker' : 'buildah');
  if (builder === 'docker') {
    if (!machine.docker) throw new Error(`No Docker Engine with buildx answers. ${wayOut}`);
    return { builder, base: wish.base ?? PUBLIC_BASE };
  }
  if (!machine.buildah) throw new Error(`buildah is not on the PATH. ${wayOut}`);
  if (wish.base === undefined && !machine.mmdebstrap) {
    throw new Error(
      `mmdebstrap is not on the PATH, so no base image can be made; or name one: --base ${PUBLIC_BASE}. ${wayOut}`,
    );
  }
  return { builder, base: wish.base };
}

const wayOut = `The images are built with
  Docker    from ${PUBLIC_BASE}: start a Docker Engine that docker buildx reaches
  buildah   from Debian's packages, where no public image can be pulled: apt-get install buildah mmdebstrap`;

export async function lookAtMachine(environment: NodeJS.ProcessEnv): Promise<Machine> {
  const answers = (program: string, ...args: string[]) =>
    run(program, args, { env: environment, timeout: 15_000 }).then(
      () => true,
      () => false,
    );
  const [engine, buildx, buildah, mmdebstrap] = await Promise.all([
    answers('docker', 'version', '--format', '{{.Server.Version}}'),
    answers('docker', 'buildx', 'version'),
    answers('buildah', '--version'),
    answers('mmdebstrap', '--version'),
  ]);
  return { docker: engine && buildx, buildah, mmdebstrap };
}
