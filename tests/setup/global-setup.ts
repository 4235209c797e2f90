import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { chmod, glob, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureTools, nodeToolNames, startPostgres, type ToolName, toolNames, toolTable } from '@berth/devstack';
import { type ProcessGuard, startProcessGuard } from '@berth/process-guard/process-guard';
import { missingForDeployTests, withSystemPrograms } from './needs.ts';
import { bundleServices } from './bundle-services.ts';
import { leftovers } from './temporary/leftovers.ts';
import { temporaryParent } from './temporary/temporary-parent.ts';

/**
 * Runs once: installs the tools, and creates a temporary folder for all files of tests and one PostgreSQL server, in which each
 * test file creates its own databases. Servers that cannot be shared, such as NATS, are started by the test files. A server named
 * by the environment is used instead. The run fails if it leaves anything behind.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const signal = AbortSignal.timeout(60 * 60_000);
  await provideTools(signal);

  const parent = await temporaryParent();
  const serverFolder = await mkdtemp(join(parent, 'berth-test-servers-'));
  const temporary = await mkdtemp(join(parent, 'berth-tests-'));
  // World-traversable, because some tests run servers as another user.
  await chmod(temporary, 0o711);
  process.env['TMPDIR'] = temporary;
  const guard = startProcessGuard();
  const compiled = compile(await services(), signal);
  // A caller that runs tests in several attempts has named one file for all of them.
  if (runsAllTests() && !process.env['TEST_OUTCOMES']) recordOutcomesIn(join(serverFolder, 'outcomes'));
  if (!process.env['TEST_DATABASE_URL']) await providePostgres({ stateFolder: serverFolder, guard, signal });

  return async () => {
    await compiled;
    const left = await leftovers(temporary);
    await guard.close();
    await rm(serverFolder, { recursive: true, force: true });
    await rm(temporary, { recursive: true, force: true });
    if (runsAllTests()) process.stderr.write(`left out: ${await deployTestsLeftOut()}\n`);
    if (left.length > 0) throw new Error(`the tests have left something behind:\n${left.join('\n')}`);
  };
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The files to compile ahead. Without an earlier run, these are the sources of all programs; a run of all tests starts bundles. */
async function services(): Promise<string[]> {
  const cache = join(root, 'node_modules', '.cache');
  const compiled = join(cache, 'berth-compiled');
  process.env['NODE_COMPILE_CACHE'] ??= compiled;
  const sources = existsSync(compiled) ? [] : await filesIn(root, 'services/*/src/*main.ts');
  if (!runsAllTests()) return sources;
  process.env['TEST_BUNDLES'] = await bundleServices({ root, cache: join(cache, 'berth-bundles') });
  return [...sources, ...(await filesIn(process.env['TEST_BUNDLES'], 'services/*/src/main.js'))];
}

async function filesIn(folder: string, pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: folder })) files.push(join(folder, file));
  return files;
}

/**
 * Node keeps compiled code for all processes of this run and later ones. Killed processes keep none, and tests kill most
 * services; so each is compiled by a start that ends because its configuration is missing.
 */
async function compile(files: readonly string[], signal: AbortSignal): Promise<void> {
  const { NODE_COMPILE_CACHE } = process.env;
  for (const file of files) {
    await promisify(execFile)(process.execPath, [file], { env: { NODE_COMPILE_CACHE }, signal }).catch(() => undefined);
  }
}

/** Arguments after `vitest run` select some of the tests. */
const runsAllTests = (): boolean => process.argv.length === 3;

/** Which requirements of these tests this machine lacks. */
async function deployTestsLeftOut(): Promise<string> {
  const missing = await missingForDeployTests(withSystemPrograms(process.env['PATH']));
  const how =
    missing.length > 0 ? `which need here:\n  ${missing.join('\n  ')}` : 'which this machine has the programs for';
  return `the tests of images and real pods (npm run test:deploy), ${how}`;
}

function recordOutcomesIn(file: string): void {
  writeFileSync(file, '');
  process.env['TEST_OUTCOMES'] = file;
}

async function provideTools(signal: AbortSignal): Promise<void> {
  const log = (words: string) => process.stderr.write(`test servers: ${words}\n`);
  // Tools that are built together share most of their build.
  const names = process.env['BERTH_REAL_NODE'] ? [...toolNames, ...nodeToolNames] : toolNames;
  const paths = await ensureTools<ToolName>({ names, env: process.env, log, signal });
  for (const name of names) process.env[toolTable[name].environment] ??= paths[name];
}

interface Provide {
  stateFolder: string;
  guard: ProcessGuard;
  signal: AbortSignal;
}

async function providePostgres(provide: Provide): Promise<void> {
  const postgres = await startPostgres({ ...provide, durable: false });
  process.env['TEST_DATABASE_URL'] = postgres.adminUrl;
}
