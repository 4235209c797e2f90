import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createHelmStarter, type HelmStarter } from './helm-starter.ts';

/** In the place of Helm: tells what it was started with. */
const tellItself =
  'console.log(JSON.stringify({ pid: process.pid, args: process.argv.slice(1), cwd: process.cwd(), env: process.env }))';
const Told = z.object({
  pid: z.number(),
  args: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
});

let folder: string;
let starter: HelmStarter;
const guard = startProcessGuard();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'helm starter '));
  starter = createHelmStarter({ binary: process.execPath, guard });
});
afterAll(async () => {
  starter[Symbol.dispose]();
  await guard.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (args: readonly string[], onLine: (line: string) => void = () => undefined) =>
  starter.start({
    args,
    folder,
    discoveryCache: '/nowhere',
    deadlineMs: 20_000,
    onLine: (stream, line) => onLine(`${stream} ${line}`),
  });

async function whatIsTold(args: readonly string[]) {
  const lines: string[] = [];
  const helm = start(['-e', tellItself, '--', ...args], (line) => lines.push(line));
  expect(await helm.exited).toEqual({ code: 0, signal: null });
  const told = Told.parse(JSON.parse(lines.join('\n').replace('stdout ', '')));
  expect(told.pid).toBe(helm.pid);
  return told;
}

test('arguments come as they are, whatever a shell would make of them', async () => {
  const args = ['two words', '$HOME', '`id`', '\\n', "it's", '"', '', '*', 'go', '  led by spaces', 'ünïcode'];

  expect((await whatIsTold(args)).args).toEqual(args);
});

test('Helm runs in its own folder and sees nothing of our environment', async () => {
  process.env['CANARY_OF_THE_TEST'] = 'swordfish';

  const { cwd, env } = await whatIsTold([]);

  expect(cwd).toBe(folder);
  expect(env).toMatchObject({ HOME: folder, HELM_CACHE_HOME: `${folder}/cache`, KUBECACHEDIR: '/nowhere' });
  expect(env).not.toHaveProperty('CANARY_OF_THE_TEST');
  expect(env).not.toHaveProperty('PATH');
});

test('several start at once, each with what is its own', async () => {
  const told = await Promise.all(['a', 'b', 'c'].map((name) => whatIsTold([name])));

  expect(told.map(({ args }) => args)).toEqual([['a'], ['b'], ['c']]);
  expect(new Set(told.map(({ pid }) => pid)).size).toBe(3);
});

test('an argument with a line break is refused before anything runs', () => {
  expect(() => start(['a\ngo'])).toThrow('line break');
});

test('a program that cannot be run ends with the code of a shell that could not run it', async () => {
  using broken = createHelmStarter({ binary: '/nowhere/helm', guard });
  const lines: string[] = [];
  const helm = broken.start({
    args: [],
    folder,
    discoveryCache: '/nowhere',
    deadlineMs: 20_000,
    onLine: (_, line) => lines.push(line),
  });

  expect(await helm.exited).toEqual({ code: 127, signal: null });
  expect(lines.join()).toContain('/nowhere/helm');
});

/** Shells of ours that wait to be told what to run. */
async function keptReady(): Promise<number[]> {
  const children = (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ');
  const isShell = async (pid: string) =>
    (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).startsWith('/bin/sh\0');
  const found = await Promise.all(children.map(async (pid) => ((await isShell(pid)) ? [Number(pid)] : [])));
  return found.flat();
}

test('a process that was kept ready and is gone is replaced, and one that is not needed any more ends', async () => {
  const [kept = 0] = await keptReady();
  process.kill(kept, 'SIGKILL');
  await expect.poll(keptReady).toEqual([]);

  expect((await whatIsTold(['still'])).args).toEqual(['still']);

  expect(await keptReady()).toHaveLength(1);
  starter[Symbol.dispose]();
  await expect.poll(keptReady).toEqual([]);
});
