import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cli } from '../terminal/cli.ts';
import { addressOf } from './connect.ts';
import { writeContexts } from './contexts.ts';

const own = { url: 'https://berth.example.test', token: 'own' };
const other = { url: 'https://other.example.test', token: 'other' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-contexts-'));
  await writeContexts(
    { env: { BERTH_CONFIG: join(folder, 'contexts.json') } },
    { current: 'own', contexts: { own, other } },
  );
});
afterEach(() => rm(folder, { recursive: true }));

const address = (env: Record<string, string>, context?: string) =>
  addressOf({ env: { ...env, BERTH_CONFIG: join(folder, 'contexts.json') } } as unknown as Cli, {
    ...(context !== undefined && { context }),
  });

test('the token of a context goes to no other platform, whatever BERTH_URL says', async () => {
  await expect(address({ BERTH_URL: 'https://elsewhere.example.test' })).rejects.toThrow(/no context is for BERTH_URL/);
  expect(await address({ BERTH_URL: `${other.url}/` })).toEqual({
    ...other,
    from: 'context other, which is the one for BERTH_URL',
  });
});

test('BERTH_URL and BERTH_TOKEN win over the current context, and --context wins over both', async () => {
  const both = { BERTH_URL: 'https://elsewhere.example.test', BERTH_TOKEN: 'given' };

  expect(await address({})).toEqual({ ...own, from: 'context own' });
  expect(await address(both)).toEqual({
    url: both.BERTH_URL,
    token: 'given',
    from: 'BERTH_URL and BERTH_TOKEN',
  });
  expect(await address({ BERTH_TOKEN: 'given' })).toEqual({
    ...own,
    token: 'given',
    from: 'context own, with BERTH_TOKEN',
  });
  expect(await address(both, 'other')).toEqual({ ...other, from: 'context other' });
});

test.for([
  [
    { BERTH_URL: 'berth.example.test', BERTH_TOKEN: 'given' },
    'BERTH_URL, berth.example.test, is not an http or https URL',
  ],
  [{ BERTH_URL: own.url, BERTH_TOKEN: 'gi ven' }, 'BERTH_TOKEN is not a token'],
] as const)('variables that can be of no platform are refused before anything is asked: %j', async ([env, words]) => {
  await expect(address(env)).rejects.toMatchObject({ outcome: 'usage', message: words });
});

test('a line end after the token, as in files, is ignored', async () => {
  expect(await address({ BERTH_URL: own.url, BERTH_TOKEN: 'given\r\n' })).toMatchObject({
    url: own.url,
    token: 'given',
  });
});
