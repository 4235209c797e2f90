import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@berth/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

const Manifest = z.object({ devDependencies: z.object({ pnpm: z.string() }) });
const checkout = fileURLToPath(new URL('../', import.meta.url));
let copy: string;
let temporary: string;

// A separate checkout leaves the state of the developer's own platform alone.
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'berth-checkout-'));
  temporary = await mkdtemp(join(tmpdir(), 'berth-temporary-'));
  for (const name of ['packages', 'services', 'scripts', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
    await cp(join(checkout, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
  }
  await linkPackages();
});
afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
  await rm(temporary, { recursive: true, force: true });
});

/** Links each package and marks the copy as installed: a real installation would write through the links into this checkout. */
async function linkPackages(): Promise<void> {
  const [from, to] = [join(checkout, 'node_modules'), join(copy, 'node_modules')];
  await mkdir(to);
  for (const name of await readdir(from)) await symlink(join(from, name), join(to, name));
  const { devDependencies } = Manifest.parse(JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')));
  const lockfile = await readFile(join(checkout, 'pnpm-lock.yaml'));
  const mark = join(to, '.berth-installed');
  await rm(mark, { force: true });
  await writeFile(mark, createHash('sha256').update(devDependencies.pnpm).update(lockfile).digest('hex'));
}

function start(...args: string[]): { child: ChildProcess; output: () => string } {
  const child = spawn('npm', ['start', '--silent', '--', ...args], {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Entries for the paths of this copy would only fill the cache of the tests.
    env: { ...process.env, TMPDIR: temporary, NODE_COMPILE_CACHE: undefined },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

/** Processes that were started from the copy, or that have it as working folder. */
async function processesOfCopy(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return command.includes(copy) || folder.startsWith(copy) ? [`${pid} ${command}`] : [];
    }),
  );
  return found.flat();
}

/** The processes that still run after a minute. */
async function leftoverProcesses(): Promise<string[]> {
  const none = async () => (await processesOfCopy()).length === 0;
  await waitUntil(none, { what: 'every process to end', withinMs: 60_000, everyMs: 250 }).catch(() => undefined);
  return processesOfCopy();
}

test('npm start -- --once runs the journey, exits with 0, and leaves no process and no file outside its state folder', async () => {
  const { child, output } = start('--once');

  const [code] = await once(child, 'exit');

  expect(output()).toContain('see it running');
  expect({ code, output: code === 0 ? '' : output() }).toEqual({ code: 0, output: '' });
  expect(await leftoverProcesses()).toEqual([]);
  // npm always keeps a compile cache there.
  expect((await readdir(temporary)).filter((name) => name !== 'node-compile-cache')).toEqual([]);
});

test('a second npm start finds the deployment of the first one, and Ctrl-C ends every process', async () => {
  const { child, output } = start();
  await waitUntil(async () => output().includes('Berth is up.'), { what: 'the platform to be up', withinMs: 200_000 });
  expect(output()).not.toContain('follow its task');
  const curl = /x-service-token: (\S+)' (\S+)/.exec(output());
  const answer = await fetch(curl?.[2] ?? '', { headers: { 'x-service-token': curl?.[1] ?? '' } });
  expect(await answer.json()).toMatchObject({ num_total: 1 });

  // Signals the whole process group, as a terminal does.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await once(child, 'exit');

  expect(await leftoverProcesses()).toEqual([]);
});

test('npm start ends every process when its parent is killed', async () => {
  const { child, output } = start();
  await waitUntil(async () => output().includes('starting the services'), {
    what: 'the services to start',
    withinMs: 200_000,
  });

  process.kill(-(child.pid ?? 0), 'SIGKILL');

  expect(await leftoverProcesses()).toEqual([]);
});

test('npm start names a server that died and prints the last lines of its log', async () => {
  const { child, output } = start();
  await waitUntil(async () => output().includes('Berth is up.'), { what: 'the platform to be up', withinMs: 200_000 });
  const registry = (await processesOfCopy()).find((line) => line.includes('registry.yml'));

  process.kill(Number(registry?.split(' ')[0]), 'SIGKILL');
  const [code] = await once(child, 'exit');

  expect(code).toBe(1);
  expect(output()).toMatch(/registry ended by itself with SIGKILL/);
  expect(output()).toContain('The last lines of');
  expect(await leftoverProcesses()).toEqual([]);
});
