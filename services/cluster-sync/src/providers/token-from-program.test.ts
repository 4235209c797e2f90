import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost } from '@berth/service/waiting/at-most';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProgram } from './run-program.ts';
import { tokenFromProgram } from './token-from-program.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-program-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(script: string): Promise<string> {
  const path = join(folder, 'issue');
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return path;
}
const exec = (command: string, more: object = {}) => ({
  command,
  args: [],
  env: {},
  apiVersion: 'client.authentication.k8s.io/v1',
  ...more,
});
const signal = AbortSignal.timeout(60_000);
const credential = (token: string, lifeMs = 3_600_000) =>
  JSON.stringify({
    kind: 'ExecCredential',
    status: { token, expirationTimestamp: new Date(Date.now() + lifeMs).toISOString() },
  });
const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).length;

test('a program that prints a credential is run once for all requests until its token nears its end', async () => {
  const command = await program(`printf x >> ${folder}/runs\necho '${credential('first')}'`);
  const { current } = tokenFromProgram(exec(command));

  const tokens = await Promise.all(Array.from({ length: 20 }, () => current(signal)));

  expect(new Set(tokens.map(({ token }) => token))).toEqual(new Set(['first']));
  expect(await runs()).toBe(1);
});

test('a token close to its expiry is replaced', async () => {
  const command = await program(`printf x >> ${folder}/runs\necho '${credential('short', 400)}'`);
  const { current } = tokenFromProgram(exec(command));
  await current(signal);

  await expect.poll(async () => (await current(signal)) && (await runs())).toBeGreaterThan(1);
});

test('a token that the cluster refuses is replaced before its expiry, with a pause between two runs of the program', async () => {
  const command = await program(`printf x >> ${folder}/runs\necho '${credential('revoked')}'`);
  const { current, refused } = tokenFromProgram(exec(command), { pauseMs: 0 });
  await current(signal);
  refused('of a request before');
  await current(signal);
  expect(await runs()).toBe(1);

  refused('revoked');
  await current(signal);
  expect(await runs()).toBe(2);

  const resting = tokenFromProgram(exec(command), { pauseMs: 60_000 });
  await resting.current(signal);
  resting.refused('revoked');
  await resting.current(signal);
  expect(await runs()).toBe(3);
});

test('a program gets its arguments, its own variables and the request, but no variables of the service', async () => {
  process.env['NATS_PASSWORD_IN_TEST'] = 'of the service';
  const command = await program(`{ env; printf '%s\\n' "$@"; } > ${folder}/received\necho '${credential('ok')}'`);

  await tokenFromProgram(exec(command, { args: ['a b', '$(id)'], env: { PROFILE: 'prod' } })).current(signal);

  const received = await readFile(join(folder, 'received'), 'utf8');
  delete process.env['NATS_PASSWORD_IN_TEST'];
  const names = received.split('\n').flatMap((line) => line.match(/^(\w+)=/)?.[1] ?? []);
  const ofTheShell = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);
  expect(new Set(names.filter((name) => !ofTheShell.has(name)))).toEqual(
    new Set(['KUBERNETES_EXEC_INFO', 'PATH', 'PROFILE']),
  );
  expect(received).toContain('\na b\n$(id)\n');
});

test.for([
  ['that fails', 'echo secret-in-output; exit 3', 'failed (exit code 3)'],
  ['that prints no credential', 'echo secret-in-output', 'printed no credential with a token'],
  [
    'that prints a client certificate',
    `echo '{"kind":"ExecCredential","status":{"clientKeyData":"secret-in-output"}}'`,
    'printed no credential with a token',
  ],
  ['that prints endlessly', 'yes secret-in-output', 'printed more than 131072 bytes'],
] as const)('the error for a program %s has the reason but not the output', async ([, script, words]) => {
  const { current } = tokenFromProgram(exec(await program(script)));

  const error: unknown = await current(signal).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ message: `${join(folder, 'issue')} ${words}` });
  expect(String(error)).not.toContain('secret-in-output');
});

test('the error for a program that does not exist has the reason', async () => {
  const { current } = tokenFromProgram(exec(join(folder, 'missing')));

  await expect(current(signal)).rejects.toThrow('missing cannot be started (ENOENT)');
});

test('a program runs with limits of memory and processor time', async () => {
  const command = await program(`echo "$(ulimit -d) $(ulimit -t)" > ${folder}/limits; exit 3`);

  await expect(tokenFromProgram(exec(command)).current(signal)).rejects.toThrow('exit code 3');

  expect(await readFile(join(folder, 'limits'), 'utf8')).toBe('1048576 30\n');
});

test('a program that failed is not run again for each request', async () => {
  const command = await program(`printf x >> ${folder}/runs; exit 1`);
  const { current } = tokenFromProgram(exec(command));

  for (let n = 0; n < 5; n += 1) await expect(current(signal)).rejects.toThrow('exit code 1');

  expect(await runs()).toBe(1);
});

test('a program that hangs is killed at its deadline, with the processes that it has started', async () => {
  const command = await program(`sleep 300 & echo $! > ${folder}/child; sleep 300`);
  const run = { command, args: [], env: {}, deadlineMs: 3_000, maxBytes: 100 };

  await expect(runProgram(run, signal)).rejects.toThrow('did not end within 3 s');

  const child = Number(await readFile(join(folder, 'child'), 'utf8'));
  await expect.poll(() => isRunning(child)).toBe(false);
});

test('programs of different clusters wait for their turns', async () => {
  const command = await program(
    `[ -e ${folder}/busy ] && printf x >> ${folder}/together; touch ${folder}/busy; sleep 0.05; rm ${folder}/busy; echo '${credential('ok')}'`,
  );
  const inTurn = atMost(1);
  const tokens = ['a', 'b', 'c'].map((name) => tokenFromProgram(exec(command, { args: [name] }), { inTurn }));

  await Promise.all(tokens.map(({ current }) => current(signal)));

  await expect(readFile(join(folder, 'together'))).rejects.toThrow('ENOENT');
});

async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !status.includes(') Z ');
}
