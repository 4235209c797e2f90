import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Tool } from './tool-table.ts';

const run = promisify(execFile);

/** Asks the program for its version; undefined if it does not run or is not the tool. */
export async function versionOfTool(tool: Tool, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const options = { signal, timeout: 15_000, maxBuffer: 64 * 1024, env: {} };
    const { stdout, stderr } = await run(path, [...tool.versionArguments], options);
    return tool.versionPattern.exec(`${stdout}\n${stderr}`)?.[1];
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
