import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { download } from './download.ts';
import { type Environment, platform } from './tool-cache.ts';
import { ToolUnavailable } from './tool-unavailable.ts';
import { unzip } from './unzip.ts';
import type { Log } from './with-progress.ts';

const run = promisify(execFile);

const VERSION = 'go1.26.8';

/** SHA-256 of the toolchain modules, checked against Go's checksum database when they were added here. */
const toolchains: Record<string, { goPlatform: string; sha256: string }> = {
  'linux-x64': {
    goPlatform: 'linux-amd64',
    sha256: '30c2b1bf7dcc88d3eb0a1364e47ddd9128edb3110a30e8a0ef61cd5856b31de7',
  },
  'linux-arm64': {
    goPlatform: 'linux-arm64',
    sha256: '02b36b6787b3ac767668f630e2998df45a3b1f9ffee08d1bf3ef6487cd658d99',
  },
  'darwin-x64': {
    goPlatform: 'darwin-amd64',
    sha256: 'fe99a2009e5bb51e06d7784f1a486478673512041c2671157bd382806e2aedcf',
  },
  'darwin-arm64': {
    goPlatform: 'darwin-arm64',
    sha256: '0aad5fb52b88498885290178adc0bcfe429bc63012621af9f83282eb640bd9c7',
  },
};

/** A `go` that can build the module: the machine's, or one downloaded from the Go module proxy into the cache. */
export async function findOrLoadGo(
  { env, cache, folder }: { env: Environment; cache: string; folder: string },
  log: Log,
  signal: AbortSignal,
): Promise<string> {
  if (await canFetchToolchains(env, signal)) return 'go';
  const home = join(cache, platform, VERSION);
  const program = join(home, 'bin', 'go');
  if (await exists(program)) return program;

  const toolchain = toolchains[platform];
  if (!toolchain) throw new ToolUnavailable(`Go is not on PATH, and none is known for ${platform}`);
  const module = `golang.org/toolchain@v0.0.1-${VERSION}.${toolchain.goPlatform}`;
  const file = join(folder, 'go.zip');
  const unpacked = join(folder, 'go');
  await download({ url: proxyUrl(env, module), sha256: toolchain.sha256, file }, log, signal);
  log(`unpacking ${VERSION} …`);
  await unzip(file, unpacked, `${module}/`, signal);
  await rm(file);
  // Module zips contain no file modes.
  await makeExecutable(join(unpacked, 'bin'));
  await makeExecutable(join(unpacked, 'pkg', 'tool', toolchain.goPlatform.replace('-', '_')));
  await mkdir(join(cache, platform), { recursive: true });
  await rename(unpacked, home);
  return program;
}

/** Go 1.21 and later download the version that go.mod requires. */
async function canFetchToolchains(env: Environment, signal: AbortSignal): Promise<boolean> {
  try {
    const { stdout } = await run('go', ['version'], {
      env: { PATH: env['PATH'], GOTOOLCHAIN: 'local' },
      signal,
      timeout: 15_000,
    });
    const minor = /go1\.(\d+)/.exec(stdout)?.[1];
    return Number(minor) >= 21;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

function proxyUrl(env: Environment, module: string): string {
  const proxies = (env['GOPROXY'] ?? '').split(/[,|]/).filter((proxy) => /^https?:/.test(proxy));
  const [path, version] = module.split('@');
  return `${proxies[0] ?? 'https://proxy.golang.org'}/${path}/@v/${version}.zip`;
}

async function makeExecutable(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await chmod(join(folder, name), 0o755);
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
