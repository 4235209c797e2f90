import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RowEvent, followEvents, unwrap, waitUntil } from '@berth/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCli } from '../scripts/cli/build-cli.ts';
import { testChanging } from './clients/terminal/changing.ts';
import { testCheckingCharts } from './clients/checking-charts.ts';
import { testCommandLine } from './clients/command-line.ts';
import { testExamples } from './clients/terminal/examples.ts';
import { testFinding } from './clients/terminal/finding.ts';
import { testFeeling } from './clients/terminal/feeling.ts';
import type { Grounds } from './clients/grounds/grounds.ts';
import { testMoving } from './clients/terminal/moving.ts';
import { startOpenWorkload } from './clients/grounds/open-workload.ts';
import { testOperating } from './clients/operating.ts';
import { testPublishedClient } from './clients/published-client.ts';
import { testSigningIn } from './clients/terminal/signing-in.ts';
import { testInterruptedSets } from './clients/interrupted-sets.ts';
import { testInterruptedTasks } from './clients/interrupted-tasks.ts';
import { testOtherVersions } from './clients/other-versions.ts';
import { testCiGuide } from './clients/ci-guide.ts';
import { testDeploying } from './clients/deploying.ts';
import { testPackagedCli } from './clients/packaged-cli.ts';
import { testSets } from './clients/sets.ts';
import { startPlatform } from './setup/platform.ts';

let grounds: Grounds;

beforeAll(async () => {
  const workload = await startOpenWorkload();
  const folder = await mkdtemp(join(tmpdir(), 'berth-clients-'));
  const [platform, archive] = await Promise.all([
    startPlatform({
      overrides: { runner: workload.runner, 'cluster-sync': { CLUSTER_REDISCOVER_SECONDS: '1' } },
    }),
    packCli(folder),
  ]);
  const sample = await platform.sample('clients');
  grounds = { platform, sample, workload, written: [], folder, program: join(folder, 'cli/berth.js'), archive };
});
afterAll(async () => {
  await grounds.platform[Symbol.asyncDispose]();
  await grounds.workload[Symbol.asyncDispose]();
  await rm(grounds.folder, { recursive: true, force: true });
});

/** Builds the command line in a folder, and returns its archive. */
async function packCli(folder: string): Promise<string> {
  await buildCli(join(folder, 'cli'));
  await promisify(execFile)('npm', ['pack', './cli', '--silent'], { cwd: folder });
  return join(folder, 'berth-cli-0.1.0.tgz');
}

testPublishedClient(() => grounds);
testCommandLine(() => grounds);
testInterruptedTasks(() => grounds);
testOperating(() => grounds);
testChanging(() => grounds);
testCheckingCharts(() => grounds);
testFinding(() => grounds);
testOtherVersions(() => grounds);
testMoving(() => grounds);
testFeeling(() => grounds);
testSigningIn(() => grounds);
testExamples(() => grounds);
testSets(() => grounds);
testInterruptedSets(() => grounds);
testPackagedCli(() => grounds);
testCiGuide(() => grounds);
testDeploying(() => grounds);

test('events continue after the last one that was handled, even across a restart of the gateway', async () => {
  const { admin, stack } = grounds.platform;
  const stopping = new AbortController();
  const following = followEvents(admin, { tables: 'envs', signal: stopping.signal });
  const next = async () => (await following.next()).value as RowEvent;
  const first = next();
  const created: string[] = [];
  const create = async (name: string) => created.push(unwrap(await admin.envs.create({ body: { name } })).id);
  const told: RowEvent[] = [];

  // The stream begins at some moment after the request: envs are created until one is told.
  let isTold = false;
  void first.then(() => (isTold = true));
  await waitUntil(async () => (await create(`told-${created.length}`)) && isTold, {
    what: 'an event',
    withinMs: 60_000,
  });
  told.push(await first);
  const gateway = stack.part('api-gateway');
  await gateway.kill();
  await gateway.start();
  await create('after-the-restart');
  while (told.at(-1)?.data.id !== created.at(-1)) told.push(await next());
  stopping.abort();

  const ids = told.map(({ data }) => data.id);
  expect(ids).toEqual(created.slice(created.indexOf(ids[0] ?? '')));
});

test('no output of any command holds a credential or the contents of a secret', () => {
  const { platform, written } = grounds;
  const all = written.join('\n');

  for (const secret of ['swordfish', platform.adminToken]) expect(all).not.toContain(secret);
});
