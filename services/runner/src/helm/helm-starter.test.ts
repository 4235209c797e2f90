import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createHelmStarter, type HelmStarter } from './helm-starter.ts';

/** Runs instead of Helm and prints how it was started. */
const describeItself =
  'console.log(JSON.stringify({ pid: process.pid, args: process.argv.slice(1), cwd: process.cwd(), env: process.env }))';
const Description = z.object({
  pid: z.number(),
  args: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
});

const limits = { memoryBytes: 1024 * 1024 * 1024, cpuSecs: 60 };
let folder: string;
let starter: HelmStarter;
const guard = startProcessGuard();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'helm starter '));
  starter = createHelmStarter({ binary: process.execPath, guard, limits });
});
afterAll(async () => {
  starter[Symbol.dispose]();
  await guard.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (args: readonly string[], onLine: (line: string) => void = () => undefined, by = starter) =>
  by.start({
    args,
    folder,
    discoveryCache: '/nowhere',
    deadlineMs: 20_000,
    waitSecs: 0,
    onLine: (stream, line) => onLine(`${stream} ${line}`),
  });

async function startedWith(args: readonly string[], by = starter) {
  const lines: string[] = [];
  const helm = start(['-e', describeItself, '--', ...args], (line) => lines.push(line), by);
  expect(await helm.exited).toMatchObject({ code: 0, signal: null });
  const description = Description.parse(JSON.parse(lines.join('\n').replace('stdout ', '')));
  expect(description.pid).toBe(helm.pid);
  return description;
}

test('Helm receives its arguments unchanged, even if they are special to a shell', async () => {
  const args = ['two words', '$HOME', '`id`', '\\n', "it's", '"', '', '*', 'go', '  leading spaces', 'ünïcode'];

  expect((await startedWith(args)).args).toEqual(args);
});

test('Helm runs in its own folder, without the environment of the runner', async () => {
  process.env['CANARY_OF_THE_TEST'] = 'swordfish';

  const { cwd, env } = await startedWith([]);

  expect(cwd).toBe(folder);
  expect(env).toMatchObject({ HOME: folder, HELM_CACHE_HOME: `${folder}/cache`, KUBECACHEDIR: '/nowhere' });
  expect(env).not.toHaveProperty('CANARY_OF_THE_TEST');
  expect(env).not.toHaveProperty('PATH');
});

test('Helm gets the variables of the proxy, if Node heeds them too', async () => {
  const variables = { HTTPS_PROXY: "http://me:it's $HOME@proxy.example:3128", NO_PROXY: '.svc,10.96.0.1' };
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of [...Object.keys(variables), 'NODE_USE_ENV_PROXY']) delete process.env[name];
  });
  expect((await startedWith([])).env).not.toHaveProperty('HTTPS_PROXY');

  process.env['NODE_USE_ENV_PROXY'] = '1';

  expect((await startedWith([])).env).toMatchObject(variables);
});

test('Helm trusts the bundle of authorities that the runner trusts', async () => {
  expect((await startedWith([])).env).not.toHaveProperty('SSL_CERT_FILE');

  using trusting = createHelmStarter({ binary: process.execPath, guard, limits, authorities: '/run/berth-ca/ca.crt' });

  expect((await startedWith([], trusting)).env).toMatchObject({ SSL_CERT_FILE: '/run/berth-ca/ca.crt' });
});

test('several Helm processes start together, each with its own arguments', async () => {
  const started = await Promise.all(['a', 'b', 'c'].map((name) => startedWith([name])));

  expect(started.map(({ args }) => args)).toEqual([['a'], ['b'], ['c']]);
  expect(new Set(started.map(({ pid }) => pid)).size).toBe(3);
});

test('an argument of Helm with a line break is refused before anything runs', () => {
  expect(() => start(['a\ngo'])).toThrow('line break');
});

test('a Helm binary that cannot be run exits with code 127', async () => {
  using broken = createHelmStarter({ binary: '/nowhere/helm', guard, limits });
  const lines: string[] = [];
  const helm = broken.start({
    args: [],
    folder,
    discoveryCache: '/nowhere',
    deadlineMs: 20_000,
    waitSecs: 0,
    onLine: (_, line) => lines.push(line),
  });

  expect(await helm.exited).toMatchObject({ code: 127, signal: null });
  expect(lines.join()).toContain('/nowhere/helm');
});

/** Shells of this process that wait for input. */
async function spareShells(): Promise<number[]> {
  const children = (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ');
  const isShell = async (pid: string) =>
    (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).startsWith('/bin/sh\0');
  const found = await Promise.all(children.map(async (pid) => ((await isShell(pid)) ? [Number(pid)] : [])));
  return found.flat();
}

test('a spare shell that was killed is replaced, and the last one ends with the starter', async () => {
  const [spare = 0] = await spareShells();
  process.kill(spare, 'SIGKILL');
  // Node.js takes the process from the table in the same step that tells the starter of its end.
  await expect.poll(() => existsSync(`/proc/${spare}`)).toBe(false);

  expect((await startedWith(['still'])).args).toEqual(['still']);

  expect(await spareShells()).toHaveLength(1);
  starter[Symbol.dispose]();
  await expect.poll(spareShells).toEqual([]);
});
