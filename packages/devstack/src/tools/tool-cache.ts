import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from './tool-table.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Outside of checkouts, so that fresh clones share it. */
export function toolCacheFolder(env: Environment): string {
  if (env['BERTH_TOOL_CACHE']) return env['BERTH_TOOL_CACHE'];
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'berth', 'tools');
  return join(env['HOME'] || homedir(), '.cache', 'berth', 'tools');
}

export const platform = `${process.platform}-${process.arch}`;

export const pathInCache = (cache: string, name: string, { version }: Pick<Tool, 'version'>) =>
  join(cache, platform, `${name}-${version}`, name);
