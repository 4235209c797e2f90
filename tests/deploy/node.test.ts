import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureTools, nodeToolNames, startKubernetes, startRealNode, toolNames } from '@berth/devstack';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { expect, test } from 'vitest';
import { runPod } from './setup/node/run-pod.ts';

const run = promisify(execFile);
const signal = AbortSignal.timeout(15 * 60_000);
const lines = (text: string) => text.split('\n').filter((line) => line !== '');

/** What a node whose files are in a folder has on this machine. */
async function remainsOf(folder: string) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  const mounts = lines(await readFile('/proc/self/mounts', 'utf8')).filter((line) => line.includes(`${folder}/`));
  const groups = lines((await run('find', ['/sys/fs/cgroup', '-maxdepth', '3', '-name', 'berth-node'])).stdout);
  const rules = lines((await run('iptables-save', [], { maxBuffer: 64 * 1024 ** 2 })).stdout);
  const links = lines((await run('ip', ['-oneline', 'link'])).stdout);
  const routes = lines((await run('ip', ['route', 'show', 'root', '10.244.200.0/24'])).stdout);
  const exists = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  return {
    processes: commands.filter((command) => command.includes(`${folder}/`)).length,
    mounts: mounts.length,
    // One per pod, each a mount of its own.
    namespaces: mounts.filter((line) => line.startsWith('nsfs ')).length,
    groups: groups.length,
    rules: rules.filter((line) => line.startsWith('-A') && /berth-pods|REJECT/.test(line)).length,
    links: links.filter((line) => line.includes('berthnode')).length,
    // To its pods, and the one that keeps traffic to others inside.
    routes: routes.length,
    folder: (await exists(join(folder, 'node'))) ? 1 : 0,
    record: (await exists('/run/berth-node.json')) ? 1 : 0,
  };
}
const nothing = {
  processes: 0,
  mounts: 0,
  namespaces: 0,
  groups: 0,
  rules: 0,
  links: 0,
  routes: 0,
  folder: 0,
  record: 0,
};

test('what a node leaves whose run is killed ends with the start of the next one, which runs pods and leaves nothing', async () => {
  await using stack = new AsyncDisposableStack();
  const folderOf = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-node-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };
  const [killed, stateFolder] = [await folderOf(), await folderOf()];
  const program = fileURLToPath(new URL('setup/node/node-to-kill-main.ts', import.meta.url));
  const child = spawn(process.execPath, [program, killed], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await expect.poll(() => output || child.exitCode, { timeout: 240_000 }).toContain('the pod runs');

  child.kill('SIGKILL');
  await once(child, 'exit');

  const left = await remainsOf(killed);
  for (const [what, count] of Object.entries(left)) expect({ what, count }).not.toEqual({ what, count: 0 });

  const forwarding = () => readFile('/proc/sys/net/ipv4/ip_forward', 'utf8');
  const guard = startProcessGuard();
  stack.defer(() => guard.close());
  const given = { stateFolder, guard, signal };
  const names = [...toolNames, ...nodeToolNames];
  const tools = await ensureTools({ names, env: process.env, log: () => undefined, signal });
  const kubernetes = await startKubernetes({ ...given, tools, durable: false, nodes: 0 });
  stack.defer(() => kubernetes.stop());
  const node = await startRealNode({ ...given, tools, kubernetes });
  try {
    const { processes, mounts, namespaces, folder } = await remainsOf(killed);
    expect({ processes, mounts, namespaces, folder }).toEqual({ processes: 0, mounts: 0, namespaces: 0, folder: 0 });
    await expect(startRealNode({ ...given, tools, kubernetes })).rejects.toThrow('a real node runs already');
    const address = await runPod(node, 'next', signal);
    const answers = () => fetch(`http://${address}:8080/busybox`, { method: 'HEAD' }).then(({ ok }) => ok);
    await expect.poll(() => answers().catch(() => false)).toBe(true);
    expect(await forwarding()).toBe('1\n');
  } finally {
    await node[Symbol.asyncDispose]();
  }
  const after = await remainsOf(stateFolder);
  // The API server is not of the node.
  expect({ ...after, processes: 0 }).toEqual(nothing);
}, 600_000);
