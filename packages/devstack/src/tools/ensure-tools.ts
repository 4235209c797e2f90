import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { takeFileLock } from './file-lock.ts';
import { findTool, type Search } from './find-tool.ts';
import { builtName, goBuild, removeGoCaches } from './go-build.ts';
import { findOrLoadGo } from './go-toolchain.ts';
import { loadArchive } from './load-archive.ts';
import { type Environment, pathInCache, platform, toolCacheFolder } from './tool-cache.ts';
import { type Tool, type ToolName, toolTable } from './tool-table.ts';
import { ToolUnavailable } from './tool-unavailable.ts';
import { versionOfTool } from './version-of-tool.ts';
import { isInRange } from './version-range.ts';
import type { Log } from './with-progress.ts';

export interface EnsureTools<Name extends string> {
  readonly names: readonly Name[];
  /** The environment of the calling process: where to look, where the cache is, and how Go gets modules. */
  readonly env: Environment;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Paths of the named tools. Each is looked for where the environment says, on PATH, and in the tool cache. Missing ones are
 * downloaded from their official releases, or built from pinned Go modules, into the cache.
 */
export const ensureTools = <Name extends ToolName>(request: EnsureTools<Name>): Promise<Record<Name, string>> =>
  ensureToolsOf(toolTable, request);

/** Like `ensureTools`, for another table. */
export async function ensureToolsOf<Name extends string>(
  table: Readonly<Record<Name, Tool>>,
  { names, env, log, signal }: EnsureTools<Name>,
): Promise<Record<Name, string>> {
  const search: Search = { env, cache: toolCacheFolder(env), signal };
  const found = await findTools(table, names, search);
  if (found.missing.length === 0) return pathsOf(names).parse(found.paths);

  await mkdir(search.cache, { recursive: true });
  const lock = await takeFileLock(join(search.cache, '.lock'), log, signal);
  try {
    // Another process may have installed them while this one waited.
    const { missing } = await findTools(table, names, search);
    await bring(missing, search, log);
  } finally {
    await lock.release();
  }
  return pathsOf(names).parse((await findTools(table, names, search)).paths);
}

type NamedTool = readonly [name: string, tool: Tool];

async function findTools<Name extends string>(
  table: Readonly<Record<Name, Tool>>,
  names: readonly Name[],
  search: Search,
) {
  const paths: Partial<Record<Name, string>> = {};
  const missing: NamedTool[] = [];
  const find = async (name: Name) => {
    const path = await findTool(name, table[name], search);
    if (path === undefined) missing.push([name, table[name]]);
    else paths[name] = path;
  };
  await Promise.all(names.map(find));
  return { paths, missing };
}

/** A path for each name, so that the compiler checks names, too. */
const pathsOf = <Name extends string>(names: readonly Name[]) => z.record(z.enum(names), z.string());

/** Runs under the lock, so partial files in the cache are leftovers and can be removed. */
async function bring(missing: readonly NamedTool[], search: Search, log: Log): Promise<void> {
  if (missing.length === 0) return;
  await removeUnfinished(search.cache);
  const folder = await mkdtemp(join(search.cache, 'unfinished-'));
  const problems: string[] = [];
  try {
    const toBuild: NamedTool[] = [];
    for (const entry of missing) {
      // If one release is unavailable, others usually are, too, so all missing tools are built at once.
      const isBuilt = problems.length > 0 || !(await tryArchive(entry, folder, search, log, problems));
      if (isBuilt) toBuild.push(entry);
    }
    if (toBuild.length > 0) await build(toBuild, folder, search, log);
  } catch (error) {
    search.signal.throwIfAborted();
    problems.push(error instanceof Error ? error.message : String(error));
    throw new ToolUnavailable(howToGet(await stillMissing(missing, search), problems), { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryArchive(
  [name, tool]: NamedTool,
  folder: string,
  search: Search,
  log: Log,
  problems: string[],
): Promise<boolean> {
  const archive = search.env['BERTH_BUILD_TOOLS'] ? undefined : tool.archives?.[platform];
  if (!archive) return false;
  try {
    const program = await loadArchive({ name, archive, folder }, log, search.signal);
    await moveIntoCache(name, tool, program, search);
    return true;
  } catch (error) {
    search.signal.throwIfAborted();
    problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    log(`no released ${name}: ${problems.at(-1)}`);
    return false;
  }
}

async function build(tools: readonly NamedTool[], folder: string, search: Search, log: Log): Promise<void> {
  const { env, cache, signal } = search;
  const go = await findOrLoadGo({ env, cache, folder }, log, signal);
  await goBuild({ go, tools, folder, env, cache }, log, signal);
  for (const [name, tool] of tools) await moveIntoCache(name, tool, join(folder, builtName(tool)), search);
  await removeGoCaches(cache);
}

/** The rename is the last step: a program in the cache is complete and has the right version. */
async function moveIntoCache(name: string, tool: Tool, program: string, { cache, signal }: Search): Promise<void> {
  const version = await versionOfTool(tool, program, signal);
  if (version === undefined || !isInRange(version, { ...tool.accepts, from: tool.version })) {
    throw new ToolUnavailable(
      `the download of ${name} ${tool.version} reports ${version === undefined ? 'no version' : `version ${version}`}`,
    );
  }
  const path = pathInCache(cache, name, tool);
  await mkdir(dirname(path), { recursive: true });
  await rename(program, path);
}

async function removeUnfinished(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (name.startsWith('unfinished-')) await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function stillMissing(missing: readonly NamedTool[], search: Search): Promise<NamedTool[]> {
  const found = await Promise.all(missing.map(([name, tool]) => findTool(name, tool, search)));
  return missing.filter((_, index) => found[index] === undefined);
}

function howToGet(missing: readonly NamedTool[], problems: readonly string[]): string {
  return [
    `These tools are required and not available: ${namesOf(missing)}.`,
    ...problems.map((problem) => `  - ${problem}`),
    'Put each on PATH, or name the program in its variable:',
    ...missing.map(
      ([
        name,
        {
          environment,
          accepts: { from, below },
        },
      ]) => `  ${environment}=/path/to/${name} (from ${from} below ${below})`,
    ),
    'With Go 1.21 or newer on PATH, or access to the Go module proxy, the next start builds them.',
  ].join('\n');
}

const namesOf = (tools: readonly NamedTool[]) => tools.map(([name, { version }]) => `${name} ${version}`).join(', ');
