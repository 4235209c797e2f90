import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { setModes } from './set-modes.ts';

test('files of an image are readable by everybody, even if the umask was strict', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-modes-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const inFolder = (...names: string[]) => join(folder, 'below', ...names);
  await mkdir(inFolder());
  await writeFile(inFolder('text'), '');
  await writeFile(inFolder('program'), '');
  await symlink('/nowhere', inFolder('link'));
  await chmod(inFolder('text'), 0o600);
  await chmod(inFolder('program'), 0o770);
  await chmod(inFolder(), 0o700);

  await setModes(folder);

  const modes = await Promise.all(
    ['.', 'text', 'program'].map(async (name) => (await stat(inFolder(name))).mode & 0o777),
  );
  expect(modes).toEqual([0o755, 0o644, 0o755]);
});
