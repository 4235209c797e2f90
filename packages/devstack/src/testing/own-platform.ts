import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@berth/client';
import { findSample, type Sample } from '../journey/find-sample.ts';
import { publishSampleChart } from '../journey/publish-sample-chart.ts';
import { signInAsAda } from '../journey/sign-in.ts';
import { type Stack, type StackStart, startStack } from '../stack/start-stack.ts';

/** A signed-in admin, the sample chart in the catalogue, and an env with the cluster. */
export interface Fixtures {
  api: Client;
  token: string;
  sample: Sample;
}

export interface OwnPlatform {
  /** Names the env. */
  name: string;
  overrides?: StackStart['overrides'];
  say: (line: string) => void;
}

/**
 * Starts a platform with fixtures for one program, runs the program, and removes the platform. SIGINT and SIGTERM end the start
 * early.
 */
export async function withOwnPlatform(
  { name, overrides, say }: OwnPlatform,
  run: (stack: Stack, fixtures: Fixtures) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  for (const event of ['SIGINT', 'SIGTERM'] as const) process.on(event, () => stopping.abort());

  const stateFolder = await mkdtemp(join(tmpdir(), `berth-${name}-`));
  try {
    say('starting a platform of its own');
    const start = { stateFolder, env: process.env, log: say, signal };
    const stack = await startStack({ ...start, ...(overrides && { overrides }) });
    try {
      await run(stack, await fixturesOf(stack, name, signal));
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(stateFolder, { recursive: true, force: true });
  }
}

async function fixturesOf(stack: Stack, env: string, signal: AbortSignal): Promise<Fixtures> {
  const token = await signInAsAda({ stack, signal });
  const api = createClient({ baseUrl: stack.url, credential: () => ({ token }), signal });
  await publishSampleChart({ stack, signal });
  return { api, token, sample: await findSample({ api, cluster: stack.cluster, env, signal }) };
}
