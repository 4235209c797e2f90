import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The control group below which all pods of the node are, for the configuration of the kubelet. */
export const NODE_CGROUP = '/berth-node';

const MOUNT = '/sys/fs/cgroup';

/** Where the hierarchies of control groups are: one of version 2, or one for each controller of version 1. */
async function hierarchies(): Promise<string[]> {
  const isRoot = (folder: string) =>
    stat(join(folder, 'cgroup.procs')).then(
      () => true,
      () => false,
    );
  if (await isRoot(MOUNT)) return [MOUNT];
  const below = (await readdir(MOUNT)).map((name) => join(MOUNT, name));
  const roots = await Promise.all(below.map(async (folder) => ((await isRoot(folder)) ? [folder] : [])));
  return roots.flat();
}

/** The kubelet requires that its root exists. */
export async function makeCgroup(): Promise<void> {
  for (const root of await hierarchies()) {
    const folder = join(root, NODE_CGROUP);
    await mkdir(folder, { recursive: true });
    // In version 1 a group without processors and memory nodes can have no process.
    for (const file of ['cpuset.mems', 'cpuset.cpus']) {
      const inherited = await readFile(join(root, file), 'utf8').catch(() => '');
      if (inherited.trim() !== '') await writeFile(join(folder, file), inherited);
    }
    const controllers = await readFile(join(folder, 'cgroup.controllers'), 'utf8').catch(() => '');
    const words = controllers.split(/\s+/).filter((name) => name !== '');
    if (words.length > 0) {
      await writeFile(join(folder, 'cgroup.subtree_control'), words.map((name) => `+${name}`).join(' '));
    }
  }
}

/** All groups of the node, children before their parents. */
async function groups(): Promise<string[]> {
  const below = async (folder: string): Promise<string[]> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => null);
    if (entries === null) return [];
    const children = entries.filter((entry) => entry.isDirectory()).map(({ name }) => below(join(folder, name)));
    return [...(await Promise.all(children)).flat(), folder];
  };
  const roots = (await hierarchies()).map((root) => below(join(root, NODE_CGROUP)));
  return (await Promise.all(roots)).flat();
}

export async function processesInCgroup(): Promise<number[]> {
  const lists = (await groups()).map((group) => readFile(join(group, 'cgroup.procs'), 'utf8').catch(() => ''));
  const pids = (await Promise.all(lists)).flatMap((list) => list.split('\n').map(Number));
  return [...new Set(pids)].filter((pid) => pid > 0);
}

/** Returns whether nothing is left: a group whose processes have only just ended may refuse. */
export async function removeCgroup(): Promise<boolean> {
  for (const group of await groups()) await rmdir(group).catch(() => undefined);
  return (await groups()).length === 0;
}
