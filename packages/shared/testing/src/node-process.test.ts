import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startNode } from './node-process.ts';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a process ends with the one that started it, even if that one is killed', async () => {
  const helper = JSON.stringify(fileURLToPath(new URL('./node-process.ts', import.meta.url)));
  const start = `
    const { startNode } = await import(${helper});
    const { pid } = startNode(['-e', 'setInterval(() => undefined, 1_000)'], {});
    console.log('started ' + pid);`;
  await using parent = startNode(['--input-type=module', '-e', start], {});
  await parent.untilReady('the parent', () => parent.output().includes('started'));
  const pid = Number(/started (\d+)/.exec(parent.output())?.[1]);
  expect(isAlive(pid)).toBe(true);

  await parent.kill('SIGKILL');

  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('a process that ends before it is ready is an error, with its output', async () => {
  await using child = startNode(['-e', 'console.log("no database"); process.exitCode = 1'], {});

  await expect(child.untilReady('the service', () => false)).rejects.toThrow(
    /the service did not become ready:\nno database/,
  );
});
