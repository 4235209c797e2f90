import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { entryOf } from './entry-of.ts';

const run = promisify(execFile);
const says = (name: string) => `console.log('${name}', ...process.argv.slice(2));`;

async function imageWith(
  entries: string[],
  begins = '',
): Promise<(...args: string[]) => Promise<{ stdout: string; code: number; stderr: string }>> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-entry-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const entry of ['src/main.ts', ...entries]) {
    const file = join(folder, 'services/tasks', entry);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${begins}${says(entry)}`);
  }
  await writeFile(join(folder, 'main.mjs'), entryOf({ service: 'tasks', entries }));
  return async (...args) =>
    run(process.execPath, [join(folder, 'main.mjs'), ...args]).then(
      (answer) => ({ ...answer, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
}

test('an image without an argument runs its service', async () => {
  const image = await imageWith(['src/rotate-key-main.ts']);

  expect(await image()).toMatchObject({ stdout: 'src/main.ts\n', code: 0 });
});

test('the entry of an image runs sources without types and loads no compiler', async () => {
  const image = await imageWith([], 'const at: number = 7;');
  const isLoaded = `process.moduleLoadList.some((name) => name.includes('amaro'))`;
  const compiled = await imageWith([], `console.log(${isLoaded});`);

  expect(await image()).toMatchObject({ code: 1, stderr: expect.stringContaining('SyntaxError') });
  expect(await compiled()).toMatchObject({ code: 0, stdout: 'false\nsrc/main.ts\n' });
});

test('the first argument of an image names one of its commands, which gets the other arguments', async () => {
  const image = await imageWith(['src/rotate-key-main.ts', 'src/admin-main.ts']);

  expect(await image('rotate-key', '--all')).toMatchObject({ stdout: 'src/rotate-key-main.ts --all\n', code: 0 });
});

test("an unknown argument goes to the image's admin command, if it has one", async () => {
  const image = await imageWith(['src/admin-main.ts']);

  expect(await image('migrate', '--wait')).toMatchObject({ stdout: 'src/admin-main.ts migrate --wait\n', code: 0 });
});

test('an unknown argument of an image without an admin command is an error that lists the commands', async () => {
  const image = await imageWith(['src/rotate-key-main.ts']);

  expect(await image('migrate')).toMatchObject({
    code: 64,
    stdout: '',
    stderr: 'This image has no command "migrate". It has: rotate-key.\n',
  });
});
