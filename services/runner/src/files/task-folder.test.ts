import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTaskFolder } from './task-folder.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-tasks-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('a file that cannot be written into the folder of a task is a transient failure', async () => {
  await writeFile(join(root, 'no-folder'), '');

  await expect(createTaskFolder(join(root, 'no-folder')).write('values.yaml', 'x')).rejects.toMatchObject({
    kind: 'transient',
  });
});

test('the folder of a task and its files are readable by the runner alone, and removed together', async () => {
  const folder = createTaskFolder(root);

  const file = await folder.write('values.yaml', 'x');

  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await folder.remove();
  await expect(stat(folder.path)).rejects.toThrow('ENOENT');
});

test('the folder of a task that never wrote a file can be removed', async () => {
  await expect(createTaskFolder(root).remove()).resolves.toBeUndefined();
});
