import { chmod, mkdir, readFile, rm, writeFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { inlineOperations } from '../client/inline-operations.ts';
import { setSchema } from './set-schema.ts';

const cli = fileURLToPath(new URL('../../packages/cli', import.meta.url));

/** Writes the command line as a package for npm, with everything that it needs in its files. */
export async function buildCli(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const bundle = await rolldown({
    input: { berth: join(cli, 'src/main.ts') },
    platform: 'node',
    plugins: [inlineOperations],
  });
  await bundle.write({ dir: target, format: 'esm', minify: true, chunkFileNames: '[name].js' });
  await bundle.close();
  await chmod(join(target, 'berth.js'), 0o755);
  await cp(join(cli, 'README.md'), join(target, 'README.md'));
  await writeFile(join(target, 'set.schema.json'), setSchema());
  const { version }: { version: string } = JSON.parse(await readFile(join(cli, 'package.json'), 'utf8'));
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifest(version), null, 2)}\n`);
}

const manifest = (version: string) => ({
  name: '@berth/cli',
  version,
  description: 'Berth in a terminal and in a pipeline.',
  license: 'Apache-2.0',
  type: 'module',
  bin: { berth: 'berth.js' },
  files: ['*.js', 'set.schema.json'],
  engines: { node: '>=20' },
});
