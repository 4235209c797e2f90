import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@berth/devstack/journey/wait-for';
import { afterAll, beforeAll, expect, test } from 'vitest';

const checkout = fileURLToPath(new URL('../', import.meta.url));
let copy: string;
let temporary: string;

// A checkout of its own, so that the state of whoever runs the tests is left alone.
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'berth-checkout-'));
  temporary = await mkdtemp(join(tmpdir(), 'berth-temporary-'));
  for (const name of ['packages', 'services', 'scripts', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
    await cp(join(checkout, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
  }
  await symlink(join(checkout, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
  await rm(temporary, { recursive: true, force: true });
});

function start(...args: string[]): { child: ChildProcess; output: () => string } {
  const child = spawn('npm', ['start', '--silent', '--', ...args], {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: temporary },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

/** Processes that were started from the copy, or work in it. */
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

/** Those that are still there after half a minute. */
async function whoIsLeft(): Promise<string[]> {
  const nobody = async () => (await processesOfCopy()).length === 0;
  const signal = AbortSignal.timeout(40_000);
  await waitFor('every process to end', nobody, { withinMs: 30_000, everyMs: 250, signal }).catch(() => undefined);
  return processesOfCopy();
}

test('npm start -- --once does the journey, ends with 0, and leaves no process and no file outside its state folder', async () => {
  const { child, output } = start('--once');

  const [code] = await once(child, 'exit');

  expect(output()).toContain('see it running');
  expect({ code, output: code === 0 ? '' : output() }).toEqual({ code: 0, output: '' });
  expect(await whoIsLeft()).toEqual([]);
  // npm keeps a cache of its own code there, whatever it runs.
  expect((await readdir(temporary)).filter((name) => name !== 'node-compile-cache')).toEqual([]);
});

test('a second start finds what is there, and Ctrl-C ends everything', async () => {
  const { child, output } = start();
  await waitFor('the platform to be up', async () => output().includes('Berth is up.'), {
    withinMs: 90_000,
    signal: AbortSignal.timeout(100_000),
  });
  expect(output()).not.toContain('follow its task');
  const curl = /x-service-token: (\S+)' (\S+)/.exec(output());
  const answer = await fetch(curl?.[2] ?? '', { headers: { 'x-service-token': curl?.[1] ?? '' } });
  expect(await answer.json()).toMatchObject({ num_total: 1 });

  // As a terminal does it: to everybody in the foreground.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await once(child, 'exit');

  expect(await whoIsLeft()).toEqual([]);
});

test('when whoever started it is killed without a word, everything ends', async () => {
  const { child, output } = start();
  await waitFor('the services to start', async () => output().includes('starting the services'), {
    withinMs: 90_000,
    signal: AbortSignal.timeout(100_000),
  });

  process.kill(-(child.pid ?? 0), 'SIGKILL');

  expect(await whoIsLeft()).toEqual([]);
});

test('a server that dies is reported by name with the last lines of its log', async () => {
  const { child, output } = start();
  await waitFor('the platform to be up', async () => output().includes('Berth is up.'), {
    withinMs: 90_000,
    signal: AbortSignal.timeout(100_000),
  });
  const registry = (await processesOfCopy()).find((line) => line.includes('registry.yml'));

  process.kill(Number(registry?.split(' ')[0]), 'SIGKILL');
  const [code] = await once(child, 'exit');

  expect(code).toBe(1);
  expect(output()).toMatch(/registry ended by itself with SIGKILL/);
  expect(output()).toContain('The last lines of');
  expect(await whoIsLeft()).toEqual([]);
});
