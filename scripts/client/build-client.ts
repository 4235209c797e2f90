import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { apiTypes, errorTypes } from './api-types.ts';
import { inlineOperations } from './inline-operations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const client = join(root, 'packages/client');

/** Writes the client as a package for npm: one file of ESM and its declarations, without dependencies. */
export async function buildClient(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await writeModule(target);
  await writeDeclarations(target);
  await cp(join(client, 'README.md'), join(target, 'README.md'));
  const { version, license } = await manifestOf(client);
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifest(version, license), null, 2)}\n`);
}

const manifest = (version: string, license = 'Apache-2.0') => ({
  name: '@berth/client',
  version,
  description: 'A typed client of the API of Berth, for Node, browsers and everything else that has fetch.',
  license,
  type: 'module',
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  files: ['**/*.js', '**/*.d.ts'],
  engines: { node: '>=20' },
});

async function writeModule(target: string): Promise<void> {
  const bundle = await rolldown({
    input: join(client, 'src/index.ts'),
    platform: 'neutral',
    plugins: [inlineOperations],
    external: [],
  });
  await bundle.write({ file: join(target, 'index.js'), format: 'esm', comments: false });
  await bundle.close();
}

/** Compiles the sources with the types written out, and checks those against the types of the contracts. */
async function writeDeclarations(target: string): Promise<void> {
  // Below the package, so that imports of contracts resolve.
  const folder = await mkdtemp(join(client, '.declarations-'));
  try {
    await cp(join(client, 'src'), join(folder, 'src'), {
      recursive: true,
      filter: (file) => !file.endsWith('.test.ts'),
    });
    await writeFile(join(folder, 'src/http/errors.ts'), errorTypes());
    await writeFile(join(folder, 'src/api/client.ts'), apiTypes());
    await writeFile(join(folder, 'same-types.ts'), sameTypes);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(compilation));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error: { stdout?: string }) => {
      throw new Error(`the declarations of the client do not compile:\n${error.stdout ?? ''}`, { cause: error });
    });
    await copyDeclarations(join(folder, 'out', relative(root, folder), 'src'), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Compiles only if the written types fit the inferred ones, in requests and answers, and name the same resources. */
const sameTypes = `import type { Client as OfContracts } from '../src/index.ts';
import type { Client as Written } from './src/api/client.ts';
export const written = (client: OfContracts): Written => client;
export const names = (resource: keyof OfContracts): keyof Written => resource;
`;

const compilation = {
  extends: '../../../tsconfig.browser.json',
  compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: 'out', rootDir: '../../..' },
  include: ['src', 'same-types.ts'],
};

/** Copies only the declarations that the index refers to. */
async function copyDeclarations(from: string, target: string): Promise<void> {
  const waiting = ['index'];
  for (const name of waiting) {
    const text = await readFile(join(from, `${name}.d.ts`), 'utf8');
    if (text.includes('@berth/')) throw new Error(`the declarations of ${name}.ts refer to the workspace`);
    for (const [, imported = ''] of text.matchAll(/'(\.\.?\/[\w/-]+)\.ts'/g)) {
      const other = join(dirname(name), imported);
      if (!waiting.includes(other)) waiting.push(other);
    }
    await mkdir(join(target, dirname(name)), { recursive: true });
    await writeFile(join(target, `${name}.d.ts`), text.replaceAll(/'(\.\.?\/[\w/-]+)\.ts'/g, "'$1.js'"));
  }
}

const manifestOf = async (folder: string): Promise<{ version: string; license?: string }> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
