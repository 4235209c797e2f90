import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RunningServer, type ServerStart, startServerProcess } from '@berth/devstack';

const run = promisify(execFile);

export interface DockerEngine extends RunningServer {
  /** The address for `DOCKER_HOST`. */
  readonly host: string;
  /** Loads images from an archive. */
  load(archive: string): Promise<void>;
}

/** A Docker Engine with a state of its own, for containers on the network of this machine. */
export async function startDockerEngine({ stateFolder, guard, signal }: ServerStart): Promise<DockerEngine> {
  const folder = join(stateFolder, 'docker');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const host = `unix://${join(folder, 'docker.sock')}`;
  const docker = (...args: string[]) => run('docker', ['--host', host, ...args], { signal, timeout: 300_000 });
  const server = await startServerProcess({
    name: 'dockerd',
    command: [
      'dockerd',
      `--data-root=${join(folder, 'data')}`,
      `--exec-root=${join(folder, 'exec')}`,
      `--pidfile=${join(folder, 'docker.pid')}`,
      `--host=${host}`,
      // Leaves the machine's network alone, and works where kernel modules cannot be loaded.
      '--iptables=false',
      '--bridge=none',
    ],
    logFile: join(folder, 'dockerd.log'),
    guard,
    signal,
    isReady: async () => (await docker('version')).stdout !== '',
    readyWithinMs: 120_000,
    stopWithinMs: 60_000,
  });
  const stop = async () => {
    await server.stop();
    // Docker leaves this mounted, which would keep the folder from being removed.
    await run('umount', [join(folder, 'exec/netns/default')]).catch(() => undefined);
  };
  return { ...server, stop, host, load: async (archive) => void (await docker('load', '--input', archive)) };
}
