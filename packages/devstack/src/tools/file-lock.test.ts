import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startTimeOf } from '@berth/process-guard/start-time-of';
import { expect, onTestFinished, test } from 'vitest';
import { takeFileLock } from './file-lock.ts';

const soon = () => AbortSignal.timeout(60_000);
const silent = () => undefined;

test('one process at a time holds the file lock, and the next one names the holder', async () => {
  const path = await lockPath();
  const said: string[] = [];
  const first = await takeFileLock(path, silent, soon());

  let had = false;
  const second = takeFileLock(path, (line) => said.push(line), soon()).then((lock) => {
    had = true;
    return lock;
  });
  await expect.poll(() => said).toEqual([expect.stringContaining(`waiting for process ${process.pid}`)]);
  expect(had).toBe(false);

  await first.release();
  await (await second).release();
  expect(await readdir(dirname(path))).toEqual([]);
});

test('the lock of a dead process is taken over', async () => {
  const path = await lockPath();
  const dead = spawn('/bin/true');
  await once(dead, 'exit');
  await writeFile(path, `${dead.pid} 1 gone`);

  const lock = await takeFileLock(path, silent, soon());

  expect(await readFile(path, 'utf8')).toContain(`${process.pid} `);
  await lock.release();
});

test.skipIf(startTimeOf(process.pid) === undefined)(
  'the lock of a dead process whose id was reused is taken over',
  async () => {
    const path = await lockPath();
    await writeFile(path, `${process.ppid} 1 recycled`);

    const lock = await takeFileLock(path, silent, soon());

    expect(await readFile(path, 'utf8')).toContain(`${process.pid} `);
    await lock.release();
  },
);

test('waiting ends when its signal aborts', async () => {
  const path = await lockPath();
  const lock = await takeFileLock(path, silent, soon());

  await expect(takeFileLock(path, silent, AbortSignal.timeout(300))).rejects.toThrow('aborted');
  await lock.release();
});

async function lockPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, '.lock');
}
