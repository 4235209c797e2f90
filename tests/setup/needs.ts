import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Programs that the tests of images and real pods start, each with its Debian package. */
const programs = {
  buildah: 'buildah',
  mmdebstrap: 'mmdebstrap',
  docker: 'docker.io',
  dockerd: 'docker.io',
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  conntrack: 'conntrack',
  ip: 'iproute2',
  busybox: 'busybox-static',
  '/usr/lib/cni/ptp': 'containernetworking-plugins',
  pg_dump: 'postgresql',
  kubectl: 'kubernetes-client',
  jq: 'jq',
  openssl: 'openssl',
  curl: 'curl',
};

/** The reasons why these tests cannot run on this machine, each with a remedy; empty if they can. */
export async function missingForDeployTests(path: string): Promise<string[]> {
  if (process.platform !== 'linux') return [`they need Linux, and this is ${process.platform}`];
  const missing: string[] = [];
  if (process.getuid?.() !== 0) missing.push('they start a Docker Engine and a kubelet, so they need root');
  const absent = new Set<string>();
  for (const [program, debian] of Object.entries(programs)) if (!(await isThere(program, path))) absent.add(debian);
  if (absent.size > 0) missing.push(`apt-get install --no-install-recommends ${[...absent].join(' ')}`);
  // Without these packages the commands below cannot test the kernel.
  if (missing.length === 0) missing.push(...(await refusedByKernel()));
  return missing;
}

/** The first steps of an engine and a node; in many containers root may not take them. */
const rights: Record<string, string> = {
  'an interface of the network': 'ip link add berth-probe type bridge && ip link delete berth-probe',
  'a namespace of the network': 'unshare --net true',
  'a namespace of mounts': 'unshare --mount mount -t tmpfs none /mnt',
  'rules of iptables': 'iptables --table nat --list-rules',
  'a control group':
    'for at in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/memory/cgroup.procs; do test -w $at && exit 0; done; exit 1',
  'the log of the kernel': 'test -r /dev/kmsg',
};

async function refusedByKernel(): Promise<string[]> {
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  const refused = await Promise.all(
    Object.entries(rights).map(([what, command]) =>
      run('/bin/sh', ['-c', command], { env, timeout: 20_000 }).then(
        () => [],
        () => [`root may not make or use ${what} here (${command})`],
      ),
    ),
  );
  return refused.flat();
}

/** System programs are not on the PATH of every user. */
export const withSystemPrograms = (path = ''): string =>
  [...path.split(delimiter), '/usr/sbin', '/sbin'].join(delimiter);

async function isThere(program: string, path: string): Promise<boolean> {
  const folders = path.split(delimiter);
  const files = program.startsWith('/') ? [program] : folders.map((folder) => join(folder, program));
  const found = await Promise.all(
    files.map((file) =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
