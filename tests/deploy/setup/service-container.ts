import { chown, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningServer, ServiceStart } from '@berth/devstack';
import { GenericContainer, type StartedTestContainer } from 'testcontainers';

/** The entry point of every image. */
export const UID = 65_532;

/** Like the Pod Security Standard "restricted", with a read-only root file system. */
class RestrictedContainer extends GenericContainer {
  constructor(image: string) {
    super(image);
    this.hostConfig = {
      ...this.hostConfig,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
    };
  }
}

const restrictedContainer = (image: string): GenericContainer =>
  new RestrictedContainer(image).withNetworkMode('host').withTmpFs({ '/tmp': 'rw,mode=1777', '/data': 'rw,mode=1777' });

export interface ServiceContainer extends RunningServer {
  readonly container: StartedTestContainer;
}

/** Starts a service of the local stack from its image instead of its source. */
export async function startServiceContainer(service: ServiceStart): Promise<ServiceContainer> {
  const { name, stateFolder, healthPort, signal } = service;
  const folder = join(stateFolder, 'containers', name);
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const files = await filesFor(service, folder);
  const started = await restrictedContainer(`berth-${name}:0.1.0`)
    .withEnvironment({ ...settingsInside(service), ...files.environment, HEALTH_PORT: String(healthPort) })
    .withBindMounts(files.mounts)
    .start();
  const stop = async () => void (await started.stop({ timeout: 30_000 }));
  try {
    await untilReady(name, healthPort, started, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  // A container that ends unexpectedly makes requests of the test fail.
  const died = Promise.withResolvers<Error>().promise;
  return { name, pid: 0, died, stop, kill: stop, container: started };
}

/** Paths of this machine do not exist in the container; the image sets its own. */
function settingsInside({ name, settings }: ServiceStart): Record<string, string> {
  if (name !== 'runner') return { ...settings };
  const { HELM_BINARY: _helm, RUNNER_FOLDER: _folder, ...rest } = settings;
  return rest;
}

interface Mount {
  source: string;
  target: string;
  mode: 'ro';
}

/** Secrets and the kubeconfig as files that only the container's user can read, like Secrets that a cluster mounts. */
async function filesFor({ settings, secrets }: ServiceStart, folder: string) {
  const mounts: Mount[] = [];
  const environment: Record<string, string> = {};
  const mount = async (variable: string, file: string) => {
    await chown(file, UID, UID);
    const target = `/etc/berth/${basename(file)}`;
    mounts.push({ source: file, target, mode: 'ro' });
    environment[variable] = target;
  };
  for (const [variable, value] of Object.entries(secrets)) {
    const file = join(folder, variable);
    await writeFile(file, value, { mode: 0o400 });
    await mount(`${variable}_FILE`, file);
  }
  const kubeconfig = settings['CLUSTER_KUBECONFIG'];
  if (kubeconfig !== undefined) {
    const file = join(folder, 'kubeconfig');
    await copyFile(kubeconfig, file);
    await mount('CLUSTER_KUBECONFIG', file);
  }
  return { mounts, environment };
}

async function untilReady(name: string, port: number, container: StartedTestContainer, signal: AbortSignal) {
  const probe = { signal: AbortSignal.any([signal, AbortSignal.timeout(120_000)]) };
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`, probe).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return;
    if (probe.signal.aborted) throw new Error(`${name} is not ready:\n${await logOf(container)}`);
    await delay(200, undefined, probe).catch(() => undefined);
  }
}

async function logOf(container: StartedTestContainer): Promise<string> {
  const stream = await container.logs();
  const lines: string[] = [];
  stream.on('data', (line: Buffer) => lines.push(line.toString()));
  await delay(1_000);
  stream.destroy();
  return lines.slice(-15).join('\n');
}
