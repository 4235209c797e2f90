import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Environment, pathInCache } from './tool-cache.ts';
import type { Tool } from './tool-table.ts';
import { ToolUnavailable } from './tool-unavailable.ts';
import { versionOfTool } from './version-of-tool.ts';
import { isInRange } from './version-range.ts';

export interface Search {
  readonly env: Environment;
  readonly cache: string;
  readonly signal: AbortSignal;
}

/** The tool on this machine: named by the environment, on PATH in an accepted version, or in the cache. */
export async function findTool(name: string, tool: Tool, search: Search): Promise<string | undefined> {
  return (
    (await givenTool(name, tool, search)) ?? (await toolOnPath(name, tool, search)) ?? cachedTool(name, tool, search)
  );
}

async function givenTool(name: string, tool: Tool, { env, signal }: Search): Promise<string | undefined> {
  const path = env[tool.environment];
  if (!path) return undefined;
  const version = await versionOfTool(tool, path, signal);
  if (version !== undefined && isInRange(version, tool.accepts)) return path;
  const { from, below } = tool.accepts;
  const found = version === undefined ? `does not run as ${name}` : `is ${name} ${version}`;
  throw new ToolUnavailable(
    `${tool.environment} is ${path}, which ${found}; needed is ${name} from ${from} below ${below}`,
  );
}

async function toolOnPath(name: string, tool: Tool, { env, signal }: Search): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (!isAbsolute(folder) || !(await isProgram(path))) continue;
    const version = await versionOfTool(tool, path, signal);
    if (version !== undefined && isInRange(version, tool.accepts)) return path;
  }
  return undefined;
}

// Its version was checked before it was put into the cache.
async function cachedTool(name: string, tool: Tool, { cache }: Search): Promise<string | undefined> {
  const path = pathInCache(cache, name, tool);
  return (await isProgram(path)) ? path : undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
