import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Programs that the tests of images and real pods start, and Debian's package of each. */
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
};

/** What keeps these tests from running on this machine, each with the way out; empty where they can. */
export async function missingForDeployTests(path: string): Promise<string[]> {
  if (process.platform !== 'linux') return [`they need Linux, and this is ${process.platform}`];
  const missing: string[] = [];
  if (process.getuid?.() !== 0) missing.push('they start a Docker Engine and a kubelet, so they need root');
  const absent = new Set<string>();
  for (const [program, debian] of Object.entries(programs)) if (!(await isThere(program, path))) absent.add(debian);
  if (absent.size > 0) missing.push(`apt-get install --no-install-recommends ${[...absent].join(' ')}`);
  return missing;
}

/** Those of the system are not on the PATH of every user. */
const places = (path: string) => [...path.split(delimiter), '/usr/sbin', '/sbin'];

async function isThere(program: string, path: string): Promise<boolean> {
  const files = program.startsWith('/') ? [program] : places(path).map((folder) => join(folder, program));
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
