import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProcessGuard, startProcessGuard } from '@berth/process-guard/process-guard';
import { onTestFinished } from 'vitest';
import type { ServerStart } from '../servers/server-process.ts';
import { ensureTools } from '../tools/ensure-tools.ts';
import type { ToolName } from '../tools/tool-table.ts';

const START_MS = 180_000;

/** A state folder and a guard for the servers of one test, disposed with it. */
export async function serverStart(): Promise<ServerStart & AsyncDisposable> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-devstack-'));
  const guard: ProcessGuard = startProcessGuard();
  const dispose = async () => {
    await guard.close();
    await rm(stateFolder, { recursive: true, force: true });
  };
  return { stateFolder, guard, signal: AbortSignal.timeout(START_MS), [Symbol.asyncDispose]: dispose };
}

/** Like `serverStart`, but ended with the test. */
export async function startForTest(): Promise<ServerStart> {
  const start = await serverStart();
  onTestFinished(() => start[Symbol.asyncDispose]());
  return start;
}

export const toolsForTest = <Name extends ToolName>(...names: Name[]): Promise<Record<Name, string>> =>
  ensureTools({ names, env: process.env, log: console.log, signal: AbortSignal.timeout(20 * 60_000) });
