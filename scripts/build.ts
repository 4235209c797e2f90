// Builds the content of each service's image: the service's folder, the workspace packages that it uses, and their production
// dependencies. Node runs the sources with types stripped, so the tested code is the deployed code. Each build is checked by
// starting its entries without a configuration: all imports must resolve, and the service must name the missing settings, or its
// commands.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildCli } from './cli/build-cli.ts';
import { entryOf } from './images/content/entry-of.ts';
import { leaveOutUnused } from './images/content/leave-out-unused.ts';
import { setModes } from './images/content/set-modes.ts';
import { stripTypes } from './images/content/strip-types.ts';
import { billFile, writeBillOfMaterials } from './images/content/bill-of-materials.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));

const services: Record<string, string[]> = {
  'api-gateway': ['src/main.ts'],
  auth: ['src/main.ts', 'src/admin-main.ts'],
  tasks: ['src/main.ts', 'src/admin-main.ts'],
  runner: ['src/main.ts'],
  'cluster-sync': ['src/main.ts', 'src/admin-main.ts'],
  'registry-scan': ['src/main.ts', 'src/admin-main.ts'],
};

/** The command line is one bundle; of its packages only the bill of materials is kept. */
async function buildCommandLine(): Promise<void> {
  const packages = join(root, 'dist/cli-packages');
  const image = join(root, 'dist/cli');
  await installWorkspace('packages/cli', packages);
  await writeBillOfMaterials({ folder: packages, name: 'berth-cli', pnpm });
  await buildCli(image);
  await cp(join(packages, billFile), join(image, billFile));
  await rm(packages, { recursive: true, force: true });
  // On the PATH of the image, for pipelines that run scripts in it.
  await mkdir(join(image, 'bin'));
  await writeFile(join(image, 'bin/berth'), "#!/usr/bin/env node\nimport '../berth.js';\n", { mode: 0o755 });
  await rm(join(image, 'README.md'));
  await setModes(image);
  const { stdout } = await run(process.execPath, [join(image, 'berth.js'), '--help'], { timeout: 60_000, env: {} });
  if (!stdout.includes('Exit codes')) throw new Error(`dist/cli/berth.js shows no help:\n${stdout.slice(0, 2_000)}`);
  process.stdout.write('built dist/cli\n');
}

const pnpm = join(root, 'node_modules/.bin/pnpm');
const notInAnImage = /(\.test\.ts|\/node_modules|\/test|\/testing|\/dist|\/test-[a-z-]+)$/;

async function build(service: string, entries: string[]): Promise<void> {
  const image = join(root, 'dist', service);
  await installWorkspace(`services/${service}`, image);
  await writeBillOfMaterials({ folder: image, name: `berth-${service}`, pnpm });
  await leaveOutUnused(image);
  await stripTypes(image);
  await writeFile(join(image, 'main.mjs'), entryOf({ service, entries }));
  await setModes(image);
  for (const entry of entries) await check(join(image, 'services', service, entry));
  await check(join(image, 'main.mjs'));
  process.stdout.write(`built dist/${service}\n`);
}

/** Copies a workspace folder with all that it depends on, and installs its packages. */
async function installWorkspace(workspace: string, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  for (const part of await workspaceFolders(workspace)) {
    await cp(join(root, part), join(target, part), {
      recursive: true,
      filter: (source) => !notInAnImage.test(source),
    });
    await leaveOutDevelopment(join(target, part, 'package.json'));
  }
  await writeFile(join(target, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await writeFile(
    join(target, 'pnpm-workspace.yaml'),
    // Copies rather than links into the package store: with links, an archive would depend on other packages on this machine.
    `${await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8')}packageImportMethod: copy\n`,
  );
  await cp(join(root, 'pnpm-lock.yaml'), join(target, 'pnpm-lock.yaml'));
  await installProduction(target);
}

/** A workspace folder and all folders that its code depends on. */
async function workspaceFolders(folder: string, known = new Set<string>()): Promise<Set<string>> {
  known.add(folder);
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(
    await readFile(join(root, folder, 'package.json'), 'utf8'),
  );
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (!name.startsWith('@berth/')) continue;
    const needed = packageFolder(name.slice('@berth/'.length));
    if (!known.has(needed)) await workspaceFolders(needed, known);
  }
  return known;
}

/** The folder of a package, below `packages/shared/` or `packages/`. */
function packageFolder(name: string): string {
  const shared = `packages/shared/${name}`;
  return existsSync(join(root, shared)) ? shared : `packages/${name}`;
}

async function leaveOutDevelopment(manifest: string): Promise<void> {
  const content: Record<string, unknown> = JSON.parse(await readFile(manifest, 'utf8'));
  delete content['devDependencies'];
  await writeFile(manifest, JSON.stringify(content, null, 2));
}

/** The lockfile contains more packages than the image; pnpm prunes it without changing versions. */
async function installProduction(target: string): Promise<void> {
  const args = ['install', '--prod', '--no-frozen-lockfile', '--prefer-offline', '--reporter=silent'];
  await run(pnpm, args, { cwd: target, timeout: 300_000, env: { ...process.env, CI: 'true' } });
}

async function check(entry: string): Promise<void> {
  const { stdout, stderr, code } = await run(process.execPath, [entry], { timeout: 60_000, env: {} }).then(
    () => ({ stdout: '', stderr: '', code: 0 }),
    (error: { stdout?: string; stderr?: string; code?: number }) => ({ stdout: '', stderr: '', code: 1, ...error }),
  );
  const said = `${stdout}${stderr}`;
  if (code === 0 || !/The configuration is invalid|berth-admin of/.test(said)) {
    throw new Error(`${entry} did not start as far as its configuration:\n${said.slice(0, 2_000)}`);
  }
}

/** As many as a small machine has cores, since builds mostly wait for files and for pnpm. */
const atOnce = 2;
const waiting = [
  ...Object.entries(services).map(
    ([service, entries]) =>
      () =>
        build(service, entries),
  ),
  buildCommandLine,
];

async function buildWaiting(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
}
await Promise.all(Array.from({ length: atOnce }, buildWaiting));
