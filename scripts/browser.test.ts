import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

test('contracts, chart-extensions and client compile with the types of a browser, without those of Node', async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'tsconfig.browser.json')]);

  expect(await compiled.then(() => '', String)).toBe('');
});

test.for(['packages/shared/contracts', 'packages/chart-extensions', 'packages/client'])(
  'a browser can load every export of %s',
  async (folder) => {
    const bundle = await rolldown({
      input: await exportsOf(folder),
      platform: 'browser',
      onLog: (_, { message }) => expect.unreachable(message),
    });

    const { output } = await bundle.generate();

    const chunks = output.filter((file) => file.type === 'chunk');
    const bundled = new Set(chunks.map(({ fileName }) => fileName));
    expect(chunks.flatMap(({ imports }) => imports).filter((imported) => !bundled.has(imported))).toEqual([]);
  },
);

/** For an export pattern, returns the index of its folder. */
async function exportsOf(folder: string): Promise<string[]> {
  const manifest: { exports: Record<string, string> } = JSON.parse(
    await readFile(join(root, folder, 'package.json'), 'utf8'),
  );
  return Object.values(manifest.exports).map((path) => join(root, folder, path.replace('*', 'index')));
}
