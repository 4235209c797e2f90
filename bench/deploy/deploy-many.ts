import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, unwrap, waitUntil } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { peakMemory, treeOf } from '../machine/process-usage.ts';
import { type Listed, publishChart, writeChart } from '../platform/publish-chart.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const run = promisify(execFile);
export const concurrency = 8;
/** Berth and bare Helm take turns with this many releases; they fit on one page of a list. */
const atATime = 50;

/** A release that costs the cluster as little as possible, so that the runner and Helm are measured. */
export const tiny = {
  name: 'tiny',
  files: {
    'values.yaml': 'greeting: hi\n',
    'templates/config.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {greeting: "{{ .Values.greeting }}"}\n',
  },
};

/** Releases through the API with one runner, in turns with bare Helm that uses the same chart and concurrency. */
export const deployMany =
  (count: number) =>
  async (stack: Stack, { api, sample }: Fixtures, say: (line: string) => void): Promise<void> => {
    say(`\n(b) ${count} releases, ${concurrency} at a time; ${loadOfMachine()}`);
    const listed = await publishChart(stack, api, tiny);
    const target = { clusterId: sample.cluster.id, ...listed };
    await using bare = await bareHelm(stack);
    // A first release of each kind, so that filling caches is not measured.
    await bare.install(['bare-first']);
    const ids = [...(await install(api, target, ['tiny-first'])).ids];
    await untilQuiet(say);
    const seconds = { bare: 0, berth: 0 };
    const peaks = { bare: 0, berth: 0 };
    for (let done = 0; done < count; ) {
      const names = Array.from({ length: Math.min(atATime, count - done) }, (_, index) => `tiny-${done + index}`);
      const ofBare = await peakMemory(
        async () => bare.pids(),
        () => bare.install(names.map((name) => `bare-${name}`)),
      );
      const ofBerth = await peakMemory(
        () => treeOf(stack.part('runner').pid),
        () => install(api, target, names),
      );
      ids.push(...ofBerth.result.ids);
      seconds.bare += ofBare.result;
      seconds.berth += ofBerth.result.seconds;
      peaks.bare = Math.max(peaks.bare, ofBare.peak);
      peaks.berth = Math.max(peaks.berth, ofBerth.peak);
      done += names.length;
      if (done % 100 === 0 || done === count) show(done, { seconds, peaks }, say);
    }
    for (const id of ids) unwrap(await api.deployments.delete({ id }));
  };

interface Measured {
  seconds: Record<'bare' | 'berth', number>;
  peaks: Record<'bare' | 'berth', number>;
}

/** The result of the first `count` releases; a long measurement reports it from time to time. */
function show(count: number, { seconds, peaks }: Measured, say: (line: string) => void): void {
  const of = (name: keyof typeof seconds) =>
    `${seconds[name].toFixed(1)} s, ${(count / seconds[name]).toFixed(2)} per second, at most ${peaks[name].toFixed(0)} MiB`;
  const ratio = (seconds.berth / seconds.bare).toFixed(2);
  say(`    ${count} releases; ${loadOfMachine()}`);
  say(`      bare helm upgrade --install --wait   ${of('bare')}`);
  say(`      through the API                      ${of('berth')} of runner, guard and Helm together`);
  say(`      ratio ${ratio} × its time (aim ≤ 1.10), ${(peaks.berth - peaks.bare).toFixed(0)} MiB more`);
}

interface Target extends Listed {
  clusterId: string;
}

/** From the first request to the end of the last task. */
export async function install(
  api: Client,
  { clusterId, kindId, chart }: Target,
  names: readonly string[],
): Promise<{ ids: ReadonlySet<string>; seconds: number }> {
  const started = Date.now();
  const created: Deployment[] = [];
  await inParallel(names, async (name) => {
    const body = {
      name,
      kind_id: kindId,
      cluster_id: clusterId,
      helm_chart_id: chart.id,
      config: {},
      values_override: null,
    };
    created.push(unwrap(await api.deployments.create({ body })));
  });
  const ids = new Set(created.map(({ id }) => id));
  await waitForAllRunning(api, ids);
  return { ids, seconds: ((await lastEnd(api, ids)) - started) / 1_000 };
}

/** One list request per second, because more would add load. */
async function waitForAllRunning({ deployments }: Client, ids: ReadonlySet<string>): Promise<void> {
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

/** By the time stamp of the last task, since polling is too coarse. */
async function lastEnd({ deploymentTasks }: Client, ids: ReadonlySet<string>): Promise<number> {
  const tasks = unwrap(await deploymentTasks.list({ query: { per_page: 100 } })).items;
  return Math.max(
    ...tasks.filter((task) => ids.has(task.deployment_id)).map((task) => Date.parse(task.finished_at ?? '')),
  );
}

interface BareHelm extends AsyncDisposable {
  /** Seconds. */
  install(names: readonly string[]): Promise<number>;
  /** Pids of the running Helm processes. */
  pids(): number[];
}

async function bareHelm({ tools, kubeconfigFile, cluster }: Stack): Promise<BareHelm> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  const env = { HOME: folder, PATH: process.env['PATH'] };
  const chart = join(folder, 'tiny');
  await writeChart(chart, tiny);
  const { stdout } = await run(tools.helm, ['package', chart, '--destination', folder], { env });
  const archive = /saved it to: (.+)$/m.exec(stdout)?.[1]?.trim() ?? '';
  const running = new Set<ChildProcess>();

  async function installOne(name: string): Promise<void> {
    const target = ['--namespace', name, '--kubeconfig', kubeconfigFile, '--kube-context', cluster];
    const helm = execFile(
      tools.helm,
      ['upgrade', '--install', '--wait', '--create-namespace', ...target, name, archive],
      {
        env,
      },
    );
    running.add(helm);
    const [code] = await once(helm, 'exit');
    running.delete(helm);
    if (code !== 0) throw new Error(`helm ended with ${code} for ${name}`);
  }

  return {
    pids: () => [...running].flatMap(({ pid }) => pid ?? []),
    async install(names) {
      const started = performance.now();
      await inParallel(names, installOne);
      return (performance.now() - started) / 1_000;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs `concurrency` at a time; the next one starts when one ends. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
