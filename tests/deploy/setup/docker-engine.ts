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

/** A Docker Engine with separate state, for containers on this machine's network. */
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
      // Does not change the machine's network, and works even if kernel modules cannot be loaded.
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
    // Docker leaves this mounted, so the folder could not be removed.
    await run('umount', [join(folder, 'exec/netns/default')]).catch(() => undefined);
  };
  return { ...server, stop, host, load: async (archive) => void (await docker('load', '--input', archive)) };
}
