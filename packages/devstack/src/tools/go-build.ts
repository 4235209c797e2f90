import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import type { Environment } from './tool-cache.ts';
import { type Tool, toolTable } from './tool-table.ts';
import { ToolUnavailable } from './tool-unavailable.ts';
import { type Log, withProgress } from './with-progress.ts';

const moduleFolder = fileURLToPath(new URL('../../tools/', import.meta.url));

const LINES_KEPT = 15;

export interface GoBuild {
  /** The `go` program. */
  readonly go: string;
  readonly tools: readonly (readonly [name: string, tool: Tool])[];
  /** The folder for the programs. */
  readonly folder: string;
  readonly env: Environment;
  readonly cache: string;
}

/**
 * Builds several tools at once, because they share most packages. Otherwise, tools without checked releases for this machine
 * would have to be installed by hand before `npm test`.
 */
export async function goBuild(
  { go, tools, folder, env, cache }: GoBuild,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const packages = tools.map(([, { goPackage }]) => goPackage);
  const args = ['build', '-v', '-mod=readonly', '-trimpath', '-ldflags', linkerFlags, '-o', `${folder}/`, ...packages];
  const lastLines: string[] = [];
  let downloaded = 0;
  let compiled = 0;
  const says = () =>
    `building ${tools.map(([name]) => name).join(', ')} with Go (minutes the first time): ` +
    `${downloaded} modules loaded, ${compiled} packages compiled`;

  await withProgress(log, says, async () => {
    const guard = startProcessGuard();
    try {
      // A separate group, so that compilers end with it.
      const options = { cwd: moduleFolder, env: goEnvironment(env, cache), detached: true };
      const build = spawn(go, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
      const closed = once(build, 'close');
      closed.catch(() => undefined);
      if (build.pid !== undefined) guard.register(build.pid);
      const stop = () => void guard.close();
      signal.addEventListener('abort', stop, { once: true });
      for await (const line of createInterface({ input: build.stderr })) {
        if (line.startsWith('go: downloading ')) downloaded += 1;
        else compiled += 1;
        lastLines.push(line);
        if (lastLines.length > LINES_KEPT) lastLines.shift();
      }
      const [code] = await closed;
      signal.removeEventListener('abort', stop);
      signal.throwIfAborted();
      if (code !== 0) throw new ToolUnavailable(`go build ended with ${code}:\n${lastLines.join('\n')}`);
    } finally {
      await guard.close();
    }
  });
}

/** Without these flags, servers report v0.0.0, and charts that require a Kubernetes version refuse them. */
const linkerFlags = [
  '-s -w',
  `-X k8s.io/component-base/version.gitVersion=v${toolTable['kube-apiserver'].version}`,
  `-X k8s.io/component-base/version.gitMajor=${toolTable['kube-apiserver'].version.split('.')[0]}`,
  `-X k8s.io/component-base/version.gitMinor=${toolTable['kube-apiserver'].version.split('.')[1]}`,
  `-X helm.sh/helm/v4/internal/version.version=v${toolTable.helm.version}`,
  `-X github.com/distribution/distribution/v3/version.version=v${toolTable.registry.version}`,
].join(' ');

/** The user's variables for Go's module sources and caches; all others are set here. */
const passedOn =
  'PATH HOME XDG_CACHE_HOME TMPDIR GOPATH GOMODCACHE GOCACHE GOENV ' +
  'GOPROXY GOSUMDB GOPRIVATE GONOPROXY GONOSUMDB GOINSECURE GOAUTH NETRC ' +
  'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR';

const goCaches = (cache: string): string => join(cache, 'go');

/** Gigabytes that are not needed after the build. */
export async function removeGoCaches(cache: string): Promise<void> {
  await makeWritable(goCaches(cache));
  await rm(goCaches(cache), { recursive: true, force: true });
}

/** Go makes downloaded toolchains read-only. */
async function makeWritable(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  await chmod(folder, 0o700).catch(() => undefined);
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}

function goEnvironment(env: Environment, cache: string): Record<string, string> {
  const given = passedOn.split(' ').flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  const theirs = env['GOCACHE'] && (env['GOPATH'] || env['GOMODCACHE']);
  const ours = { GOPATH: goCaches(cache), GOMODCACHE: '', GOCACHE: join(goCaches(cache), 'build') };
  const configured = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '', '.config');
  return {
    GOENV: join(configured, 'go', 'env'),
    ...Object.fromEntries(given),
    ...(theirs ? {} : ours),
    // Go stores telemetry counters there.
    XDG_CONFIG_HOME: join(goCaches(cache), 'config'),
    // Needs no C compiler, and the programs run with any libc.
    CGO_ENABLED: '0',
    GOTOOLCHAIN: 'auto',
    GOFLAGS: '-mod=readonly',
    GOWORK: 'off',
  };
}

/** The name that `go build` gives the program: the last path element that is not a major version. */
export function builtName({ goPackage, goBinary }: Tool): string {
  if (goBinary) return goBinary;
  const path = /\/v\d+$/.test(goPackage) ? dirname(goPackage) : goPackage;
  return path.slice(path.lastIndexOf('/') + 1);
}
