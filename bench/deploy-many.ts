import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { createHello } from '@berth/devstack/journey/hello-deployment';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { Fixtures } from './fixtures.ts';
import { loadOfMachine } from './load-of-machine.ts';
import { untilQuiet } from './until-quiet.ts';

const run = promisify(execFile);
const count = 50;
export const concurrency = 8;

/** 50 deployments through the API with one runner, against bare Helm with the same charts and the same concurrency. */
export async function deployMany(stack: Stack, { api, sample }: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(b) ${count} deployments, ${concurrency} at a time; ${loadOfMachine()}`);
  await untilQuiet(say);
  const bare = await bareHelm(stack);
  say(`    bare helm upgrade --install --wait   ${(bare / 1000).toFixed(1)} s`);

  await untilQuiet(say);
  const started = Date.now();
  const names = Array.from({ length: count }, (_, index) => `many-${index}`);
  const created = await Promise.all(names.map((name) => createHello(api, sample, name)));
  const ids = new Set(created.map(({ id }) => id));
  await waitForAllRunning(api, ids);
  const berth = (await lastEnd(api, ids)) - started;
  say(`    through the API                      ${(berth / 1000).toFixed(1)} s`);
  say(`    ratio ${(berth / bare).toFixed(2)} × its time (aim ≤ 1.10)`);
  for (const answer of await Promise.all(created.map(({ id }) => api.deployments.delete({ id })))) unwrap(answer);
}

/** One list request a second: more would add load. */
async function waitForAllRunning({ deployments }: Client, ids: Set<string>): Promise<void> {
  await waitUntil(
    async () => {
      const rows = unwrap(await deployments.list({ query: { per_page: 100 } })).items;
      const broken = rows.find(({ id, status }) => ids.has(id) && status === 'Error');
      if (broken) throw new Error(`deployment ${broken.name}: ${broken.reason}`);
      return rows.filter(({ id, status }) => ids.has(id) && status === 'Running').length === ids.size;
    },
    { what: 'all deployments to run', withinMs: 300_000, everyMs: 1_000, longestPauseMs: 1_000 },
  );
}

/** When the last task finished, by its time stamp: polling is too coarse. */
async function lastEnd({ deploymentTasks }: Client, ids: ReadonlySet<string>): Promise<number> {
  const tasks = unwrap(await deploymentTasks.list({ query: { per_page: 100 } })).items;
  return Math.max(
    ...tasks.filter((task) => ids.has(task.deployment_id)).map((task) => Date.parse(task.finished_at ?? '')),
  );
}

async function bareHelm({ tools, kubeconfigFile, cluster }: Stack): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  const env = { HOME: folder, PATH: process.env['PATH'] };
  try {
    const { stdout } = await run(tools.helm, ['package', sampleChart.folder, '--destination', folder], { env });
    const archive = /saved it to: (.+)$/m.exec(stdout)?.[1]?.trim() ?? '';
    const values = join(folder, 'values.json');
    await writeFile(values, JSON.stringify(sampleChart.inputs));
    const target = (name: string) => ['--namespace', name, '--kubeconfig', kubeconfigFile, '--kube-context', cluster];
    const install = async (name: string) => {
      const args = [
        'upgrade',
        '--install',
        '--wait',
        '--create-namespace',
        ...target(name),
        '--values',
        values,
        name,
        archive,
      ];
      await run(tools.helm, args, { env });
    };
    const names = Array.from({ length: count }, (_, index) => `bare-${index}`);
    const started = performance.now();
    await inParallel(names, install);
    const took = performance.now() - started;
    await inParallel(
      names,
      async (name) => void (await run(tools.helm, ['uninstall', ...target(name), name], { env })),
    );
    return took;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `concurrency` at a time: the next one starts when one ends. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
