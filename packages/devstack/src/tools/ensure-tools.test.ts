import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { portOf } from '@berth/testing/network/port-of';
import { expect, onTestFinished, test } from 'vitest';
import { ensureToolsOf } from './ensure-tools.ts';
import { pathInCache, platform } from './tool-cache.ts';
import type { Tool } from './tool-table.ts';

const run = promisify(execFile);

const hammer: Tool = {
  version: '1.4.2',
  accepts: { from: '1.4.0', below: '2.0.0' },
  versionArguments: ['--version'],
  versionPattern: /hammer (\S+)/,
  environment: 'BERTH_HAMMER',
  // The package does not exist, so a tool that is neither found nor downloaded cannot be built.
  goPackage: 'example.test/no/such/hammer',
};

test('a program named by a variable is used', async () => {
  const { env, folder } = await machine();
  const path = await writeProgram(folder, '1.9.0');

  expect(await ensure(hammer, { ...env, BERTH_HAMMER: path })).toEqual({ hammer: path });
});

test('a program of the wrong version named by a variable is refused, without looking further', async () => {
  const { env, folder } = await machine();
  const path = await writeProgram(folder, '2.0.0');
  await writeProgram(join(folder, 'bin'), '1.4.2');

  await expect(ensure(hammer, { ...env, BERTH_HAMMER: path })).rejects.toThrow(
    `BERTH_HAMMER is ${path}, which is hammer 2.0.0; needed is hammer from 1.4.0 below 2.0.0`,
  );
});

test('the first program on PATH with an accepted version is used', async () => {
  const { env, folder } = await machine();
  await writeProgram(join(folder, 'old'), '1.3.9');
  await writeProgram(join(folder, 'broken'), 'not a version');
  const good = await writeProgram(join(folder, 'bin'), '1.4.0');
  const PATH = ['old', 'broken', 'bin'].map((name) => join(folder, name)).join(':');

  expect(await ensure(hammer, { ...env, PATH: `${PATH}:${env.PATH}` })).toEqual({ hammer: good });
});

test('a released program is downloaded once, checked, and kept in the cache', async () => {
  const { env, folder } = await machine();
  const release = await serveRelease(await tarOf(folder, '1.4.2'));
  const tool = { ...hammer, archives: { [platform]: release.archive } };

  const first = await ensure(tool, env);
  const second = await ensure(tool, env);

  expect(first).toEqual({ hammer: pathInCache(env.BERTH_TOOL_CACHE, 'hammer', hammer) });
  expect(second).toEqual(first);
  expect(release.requests).toBe(1);
  expect((await run(first.hammer, ['--version'])).stdout).toBe('hammer 1.4.2\n');
  expect(await unfinishedIn(env.BERTH_TOOL_CACHE)).toEqual([]);
});

test("a release whose checksum differs from its publisher's is refused, and leaves nothing in the cache", async () => {
  const { env, folder } = await machine();
  const release = await serveRelease(await tarOf(folder, '1.4.2'), '0'.repeat(64));
  const tool = { ...hammer, archives: { [platform]: release.archive } };

  await expect(ensure(tool, env)).rejects.toThrow(`expected is ${'0'.repeat(64)}`);

  expect(await unfinishedIn(env.BERTH_TOOL_CACHE)).toEqual([]);
  expect(await readdir(env.BERTH_TOOL_CACHE)).not.toContain(platform);
});

test('a release is not downloaded if tools are to be built, or if its publisher lists no checksum', async () => {
  const { env, folder } = await machine();
  const release = await serveRelease(await tarOf(folder, '1.4.2'), 'none');
  const tool = { ...hammer, archives: { [platform]: release.archive } };

  await expect(ensure(tool, env)).rejects.toThrow('lists no SHA-256 of');
  await expect(ensure(tool, { ...env, BERTH_BUILD_TOOLS: '1' })).rejects.not.toThrow('lists no SHA-256 of');

  expect(release.requests).toBe(0);
});

test('a downloaded tool whose version differs from the table is refused', async () => {
  const { env, folder } = await machine();
  const release = await serveRelease(await tarOf(folder, '1.4.1'));
  const tool = { ...hammer, archives: { [platform]: release.archive } };

  await expect(ensure(tool, env)).rejects.toThrow('the download of hammer 1.4.2 reports version 1.4.1');
});

test('the error for an unavailable tool names the tool, the attempts and how to get it', async () => {
  const { env } = await machine();

  const problem = await ensure(hammer, env).catch((error: Error) => error.message);

  expect(problem).toContain('required and not available: hammer 1.4.2');
  expect(problem).toContain('example.test/no/such/hammer');
  expect(problem).toContain('BERTH_HAMMER=/path/to/hammer (from 1.4.0 below 2.0.0)');
});

test('building a tool leaves no files of Go behind; a failed build keeps them for the next attempt', async () => {
  const { env, folder } = await machine();
  const caches = join(env.BERTH_TOOL_CACHE, 'go');
  await writeScript(join(folder, 'go'), 'go', `${fillCaches}\n${fakeGo}`);

  await expect(ensure(hammer, env)).rejects.toThrow('are required and not available');
  expect(await readdir(caches)).toEqual(['build', 'config', 'pkg']);
  await writeScript(join(folder, 'go'), 'go', `${fillCaches}\n${buildHammer}`);
  const built = await ensure(hammer, env);

  expect(built).toEqual({ hammer: pathInCache(env.BERTH_TOOL_CACHE, 'hammer', hammer) });
  expect(await readdir(env.BERTH_TOOL_CACHE)).not.toContain('go');
  expect(await readdir(folder)).toEqual(['cache', 'go']);
});

test('two processes that need the same tool download it once', async () => {
  const { env, folder } = await machine();
  const release = await serveRelease(await tarOf(folder, '1.4.2'));
  const tool = { ...hammer, archives: { [platform]: release.archive } };

  const [one, other] = await Promise.all([ensure(tool, env), ensure(tool, env)]);

  expect(one).toEqual(other);
  expect(release.requests).toBe(1);
});

const ensure = (tool: Tool, env: Record<string, string>) =>
  ensureToolsOf(
    { hammer: tool },
    { names: ['hammer'], env, log: () => undefined, signal: AbortSignal.timeout(60_000) },
  );

/** An environment with an empty cache and a `go` that fails to build. */
async function machine() {
  const folder = await mkdtemp(join(tmpdir(), 'berth-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeScript(join(folder, 'go'), 'go', fakeGo);
  const env = { PATH: `${join(folder, 'go')}:/usr/bin:/bin`, HOME: folder, BERTH_TOOL_CACHE: join(folder, 'cache') };
  return { folder, env };
}

const fakeGo = 'test "$1" = version && echo go version go1.26.0 || { echo "no package ${*}" >&2; exit 1; }';

/** Like Go: caches are where its variables say, else below the home folder. */
const fillCaches = `
test "$1" = build || { echo go version go1.26.0; exit; }
mkdir -p "\${GOCACHE:-$HOME/.cache/go-build}" "\${GOPATH:-$HOME/go}/pkg/mod/toolchain" "\${XDG_CONFIG_HOME:-$HOME/.config}/go"
chmod -R a-w "\${GOPATH:-$HOME/go}/pkg/mod"`;

const buildHammer = `
while test "$1" != -o; do shift; done
printf '#!/bin/sh\\necho hammer 1.4.2\\n' > "$2/hammer"
chmod +x "$2/hammer"`;

const writeProgram = (folder: string, version: string) => writeScript(folder, 'hammer', `echo "hammer ${version}"`);

async function writeScript(folder: string, name: string, line: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return join(folder, name);
}

async function tarOf(folder: string, version: string): Promise<Buffer> {
  await writeProgram(join(folder, 'release', 'hammer'), version);
  await run('tar', ['-czf', 'release.tar.gz', '-C', 'release', 'hammer'], { cwd: folder });
  return readFile(join(folder, 'release.tar.gz'));
}

async function serveRelease(content: Buffer, sum = createHash('sha256').update(content).digest('hex')) {
  const served = { requests: 0 };
  const server = createServer((request, response) => {
    const isList = request.url === '/SHA256SUMS';
    if (!isList) served.requests += 1;
    response.end(isList ? `${sum}  hammer.tar.gz\n` : content);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const port = portOf(server);
  const archive = {
    url: `http://127.0.0.1:${port}/hammer.tar.gz`,
    checksums: `http://127.0.0.1:${port}/SHA256SUMS`,
    member: 'hammer/hammer',
  };
  return Object.assign(served, { archive });
}

const unfinishedIn = async (cache: string) =>
  (await readdir(cache)).filter((name) => name.startsWith('unfinished-') || name.startsWith('.lock'));
