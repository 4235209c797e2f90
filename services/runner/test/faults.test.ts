import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { freePort } from '@berth/testing/network/free-port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actionsIn, helmsOf, soon, watchHelms } from './support/helm-actions.ts';
import { preloaded } from './support/preloaded.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './support/runner-world.ts';
import { taskOf } from './support/fake-tasks.ts';

let world: RunnerWorld;
let act: ReturnType<typeof actionsIn>;
beforeAll(async () => {
  world = await startRunnerWorld();
  act = actionsIn(world);
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** The runner gives up a claim after two thirds of its lease, which leaves four seconds for stalls of the machine. */
const shortLease = 12_000;
const slowTask = () => taskOf(world.chart, { values: { slow: true }, lease_ms: shortLease });
const helmEnded = (namespace: string) => {
  const helms = watchHelms(namespace);
  return soon('Helm to end', () => helms().length === 0);
};
const linesOf = (taskId: string) => world.tasks.lines.filter(({ task_id }) => task_id === taskId).length;

test('a runner whose claim was taken over ends its Helm and reports nothing', async () => {
  await using runner = await world.start();
  const task = slowTask();
  await act.startSlow(task);

  world.tasks.takeAway(task.task_id);
  await helmEnded(task.namespace);
  await soon('the runner to log it', () => runner.log().includes('claim lost'));

  expect(world.tasks.endOf(task.task_id)).toBeUndefined();
  expect(await readdir(join(runner.folder, 'tasks'))).toEqual([]);
});

test('a runner without answers ends its Helm before the lease expires, and continues to run', async () => {
  await using runner = await world.start();
  const task = slowTask();
  await act.startSlow(task);

  world.tasks.setUnavailable(true);
  const unavailableAt = Date.now();
  await helmEnded(task.namespace);
  const took = Date.now() - unavailableAt;
  world.tasks.setUnavailable(false);

  expect(took).toBeLessThan(shortLease);
  await soon('the runner to log it', () => runner.log().includes('claim lost'));
  expect(await act.run(taskOf(world.chart))).toMatchObject({ outcome: 'Done' });
});

/** Makes a runner execute this code at SIGUSR2; loaded before its own code. */
const atSignal = (work: string) => preloaded(`process.on('SIGUSR2',()=>{${work}})`);
const blockLoop = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,${shortLease + 1_000});`;
/** V8 prints a long report otherwise. */
const fillHeap = 'process.getBuiltinModule("fs").closeSync(2);const all=[];for(;;)all.push(Array(1e5).fill(0.5));';

test.for<[string, NodeJS.Signals, Record<string, string>]>([
  ['is killed', 'SIGKILL', {}],
  ['runs out of memory', 'SIGUSR2', atSignal(fillHeap)],
])('Helm ends with a runner that %s, and the next start removes the files it left', async ([, signal, env]) => {
  await using runner = await world.start(env);
  // Its lease outlasts the test: only the death of the runner ends Helm.
  const task = taskOf(world.chart, { values: { slow: true }, lease_ms: 300_000 });
  await act.startSlow(task);

  runner.signal(signal);
  await runner.ended;
  await helmEnded(task.namespace);
  // The attempt was counted before Helm started, so that one that kills its runner counts too.
  expect(world.tasks.begun).toContain(task.task_id);
  expect(await readdir(join(runner.folder, 'tasks'))).toHaveLength(1);

  await using next = await world.start({ RUNNER_FOLDER: runner.folder });
  expect(await act.run(taskOf(world.chart))).toMatchObject({ outcome: 'Done' });
  expect(next.pid).not.toBe(runner.pid);
  expect(await readdir(join(runner.folder, 'tasks'))).toEqual([]);
});

test('a runner that is short of memory claims no second task until it has memory again', async () => {
  const short = `let short=true;process.availableMemory=()=>short?1:2**40;process.on('SIGUSR2',()=>{short=false})`;
  await using runner = await world.start(preloaded(short));
  await act.startSlow(slowTask());
  const second = taskOf(world.chart);

  world.tasks.give(second);
  const beats = world.tasks.beats.length;
  // The runner polls this often, and at each hint.
  await soon('three more heartbeats', () => world.tasks.beats.length > beats + 2);
  expect(world.tasks.claimed).not.toContain(second.task_id);

  runner.signal('SIGUSR2');
  expect(await soon('the outcome', () => world.tasks.endOf(second.task_id))).toMatchObject({ outcome: 'Done' });
});

test.for<[string, NodeJS.Signals, Record<string, string>]>([
  ['is paused', 'SIGSTOP', {}],
  ['has a blocked event loop', 'SIGUSR2', atSignal(blockLoop)],
])(
  'Helm of a runner that %s ends before the lease expires, and the runner reports nothing then',
  async ([, signal, env]) => {
    await using runner = await world.start(env);
    const task = slowTask();
    const helm = await act.startSlow(task);

    runner.signal(signal);
    const pausedAt = Date.now();
    // A stopped parent cannot reap it, so it remains as a zombie without arguments.
    const helms = watchHelms(task.namespace);
    await soon('Helm to end', () => !helms().includes(helm));
    expect(Date.now() - pausedAt).toBeLessThan(shortLease);
    // No other runner took it over, so a report of this one would be recorded.
    runner.signal('SIGCONT');
    await soon('the runner to log it', () => runner.log().includes('claim lost'));
    // Lines count only from now on: those sent before the deadline, which the guard keeps to the millisecond, are allowed.
    const lines = linesOf(task.task_id);
    await delay(300);

    expect(world.tasks.endOf(task.task_id)).toBeUndefined();
    expect(linesOf(task.task_id)).toBe(lines);
  },
);

/**
 * As after a suspension during which all clocks stood still: the next heartbeat is seconds away, and no clock shows that the
 * claim has ended.
 */
test.for<[string, (task: ClaimedTask) => Promise<unknown>]>([
  ['the task', async ({ task_id }) => world.tasks.takeAway(task_id)],
  [
    'the namespace',
    async ({ namespace, task_id }) =>
      world.api.patchJson(
        `/api/v1/namespaces/${namespace}`,
        { metadata: { annotations: { 'berth.dev/claim': `${task_id}:2` } } },
        { signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 },
      ),
  ],
])(
  'a runner that slept while its chart was fetched does not start Helm when another runner holds %s',
  async ([, take]) => {
    await using runner = await world.start();
    const taken = Promise.withResolvers<void>();
    const chart = await world.lateChart(async () => {
      await soon('a heartbeat', () => world.tasks.beats.includes(task.task_id));
      await soon('the namespace', () => act.exists(`/api/v1/namespaces/${task.namespace}`));
      await take(task);
      taken.resolve();
    });
    const task = taskOf(chart, { values: { slow: true } });

    world.tasks.give(task);
    await taken.promise;
    await soon('the runner to log it', () => /claim lost|task ended/.test(runner.log()));

    expect(await act.releases(task.namespace)).toEqual([]);
    expect(world.tasks.begun).not.toContain(task.task_id);
  },
);

test('a runner that receives SIGTERM claims nothing more, ends Helm, hands its task back and exits', async () => {
  await using runner = await world.start();
  const task = taskOf(world.chart, { values: { slow: true } });
  await act.startSlow(task);

  runner.signal('SIGTERM');
  // Only a Helm that receives SIGTERM prints it. Claims in flight at the signal have been answered by then.
  await soon('Helm to end', () => world.tasks.textOf(task.task_id).includes('has been cancelled'));
  const late = taskOf(world.chart);
  world.tasks.give(late);
  await endedWell(runner);

  expect(world.tasks.claimed).not.toContain(late.task_id);
  world.tasks.withdraw(late.task_id);
  const end = world.tasks.endOf(task.task_id);
  expect(end).toMatchObject({ outcome: 'HandedBack' });
  expect(end).not.toHaveProperty('helm_ended');
  expect(helmsOf(task.namespace)).toEqual([]);
  expect(await act.history(task.namespace)).toEqual(['failed']);
  expect(await readdir(join(runner.folder, 'tasks'))).toEqual([]);
});

test('a runner that receives SIGTERM while tasks is unavailable exits before it would be killed', async () => {
  await using runner = await world.start();
  const task = taskOf(world.chart, { values: { slow: true } });
  await act.startSlow(task);

  world.tasks.setUnavailable(true);
  runner.signal('SIGTERM');
  // A shutdown of more than 25 s ends with the exit code 1.
  await endedWell(runner).finally(() => world.tasks.setUnavailable(false));

  expect(helmsOf(task.namespace)).toEqual([]);
});

test('a runner whose process guard dies hands its task back and exits', async () => {
  await using runner = await world.start();
  const task = taskOf(world.chart, { values: { slow: true } });
  await act.startSlow(task);
  const guard = await guardOf(runner.pid);

  process.kill(guard, 'SIGKILL');

  expect(await runner.ended).toBe(1);
  expect(world.tasks.endOf(task.task_id)).toMatchObject({ outcome: 'HandedBack' });
  expect(helmsOf(task.namespace)).toEqual([]);
});

test('a Helm that is killed leaves no pending release, and the outcome is Retry', async () => {
  await using _runner = await world.start();
  const task = taskOf(world.chart, { values: { slow: true } });
  const helm = await act.startSlow(task);

  process.kill(helm, 'SIGKILL');
  const end = await soon('the end of the task', () => world.tasks.endOf(task.task_id));

  expect(end).toMatchObject({ outcome: 'Retry', reason: 'Helm was ended by SIGKILL before it had finished' });
  expect(await act.history(task.namespace)).toEqual(['failed']);
});

test('a runner without Helm does not start, and logs why', async () => {
  await using runner = await world.start({ HELM_BINARY: 'no-such-helm' });

  expect(await runner.ended).toBe(1);
  expect(runner.log()).toContain('no-such-helm was not found');
});

/** Its pods fit on no node. */
const stuck = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { nodeSelector: { never: 'yes' }, containers: [{ name: 'main', image: 'web' }] },
    },
  },
};
const stuckTask = () =>
  taskOf(world.chart, { values: { objects: [stuck] }, wait: { enabled: true, timeout_secs: 300 } });
const toAwait = ({ task_id }: ClaimedTask) =>
  soon('the task to await readiness only', () => world.tasks.awaiting.has(task_id));
const textOf = ({ task_id }: ClaimedTask) => world.tasks.textOf(task_id);
const again = (task: ClaimedTask, fields: Partial<ClaimedTask> = {}) => ({ ...task, fence: task.fence + 1, ...fields });

test('deploys that await readiness take no slot, and another runner continues their wait without a second deploy', async () => {
  const waiting = [stuckTask(), stuckTask(), stuckTask(), stuckTask(), stuckTask()] as const;
  const [canceled, lost, continued, late, handedBack] = waiting;
  await using first = await world.start({ RUNNER_CONCURRENCY: '1' });
  for (const task of waiting) world.tasks.give(task);
  for (const task of waiting) await toAwait(task);

  expect(await act.run(taskOf(world.chart))).toMatchObject({ outcome: 'Done' });
  expect(waiting.map(({ task_id }) => world.tasks.endOf(task_id))).toEqual(waiting.map(() => undefined));
  // Their files hold credentials.
  expect(await readdir(join(first.folder, 'tasks'))).toEqual([]);

  world.tasks.cancel(canceled.task_id);
  const end = await soon('the end of the canceled one', () => world.tasks.endOf(canceled.task_id));
  expect(end).toMatchObject({ outcome: 'Canceled', reason: null });
  expect(await act.history(canceled.namespace)).toEqual(['deployed']);

  const before = linesOf(lost.task_id);
  world.tasks.takeAway(lost.task_id);
  await soon('the runner to notice', () => first.log().includes('claim lost'));
  expect(world.tasks.endOf(lost.task_id)).toBeUndefined();
  expect(linesOf(lost.task_id)).toBe(before);

  first.signal('SIGKILL');
  await first.ended;
  await using second = await world.start({ RUNNER_CONCURRENCY: '1' });
  const next = [continued, handedBack].map((task) => again(task));
  for (const task of next) world.tasks.give(task);
  const continues = 'an earlier attempt of this task has already deployed the release';
  for (const task of next) await soon('its wait to continue', () => textOf(task).includes(continues));
  for (const task of next) await toAwait(task);
  // Its time has passed since Helm ended, whoever waits.
  const over = again(late, { wait: { enabled: true, timeout_secs: 1 } });
  expect(await act.run(over)).toMatchObject({
    outcome: 'Failed',
    reason: expect.stringMatching(
      /^The release is deployed and did not become ready within 1 s: .*; it waited for Deployment web/,
    ),
  });

  await makeReady(continued.namespace);
  expect(await soon('its end', () => world.tasks.endOf(continued.task_id))).toMatchObject({ outcome: 'Done' });
  second.signal('SIGTERM');
  expect(await second.ended).toBe(0);
  expect(world.tasks.endOf(handedBack.task_id)).toMatchObject({ outcome: 'HandedBack' });
  for (const { namespace } of [continued, late, handedBack]) expect(await act.history(namespace)).toEqual(['deployed']);
});

test('a runner that is stopped after Helm has deployed says so as it hands the task back, though no heartbeat could', async () => {
  await using runner = await world.start();
  const task = stuckTask();
  world.tasks.refuseAwaiting(true);
  world.tasks.give(task);
  const { task_id, namespace } = task;
  await soon('the release', async () => (await act.releases(namespace)).length > 0);
  await soon('Helm to end', async () => (await act.history(namespace))[0] === 'deployed');

  runner.signal('SIGTERM');
  await endedWell(runner).finally(() => world.tasks.refuseAwaiting(false));

  expect(world.tasks.awaiting.has(task_id)).toBe(false);
  expect(world.tasks.endOf(task_id)).toMatchObject({ outcome: 'HandedBack', helm_ended: true });
});

/** Lets the pods of the stuck Deployment run. */
async function makeReady(namespace: string): Promise<void> {
  const spec = { template: { spec: { nodeSelector: null } } };
  const call = { signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 };
  await world.api.patchJson(`/apis/apps/v1/namespaces/${namespace}/deployments/web`, { spec }, call);
}

/** A claim that no volume fits, and that costs the cluster nothing. */
const unbound = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: {
    storageClassName: 'absent',
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
  },
};

const deploySlow = () => taskOf(world.chart, { values: { slow: true } });

test('40 deploys that never become ready leave all four slots of their runner to other deploys', async () => {
  await using runner = await world.start({ RUNNER_CONCURRENCY: '4' });
  const deployOther = async () => expect(await act.run(taskOf(world.chart))).toMatchObject({ outcome: 'Done' });
  await deployOther();
  const alone = await residentMiB(runner);
  const stuckOnes = Array.from({ length: 40 }, () =>
    taskOf(world.chart, { values: { objects: [unbound] }, wait: { enabled: true, timeout_secs: 3_600 } }),
  );
  for (const task of stuckOnes) world.tasks.give(task);
  for (const task of stuckOnes) await toAwait(task);
  const waiting = await residentMiB(runner);

  await deployOther();
  const four = [deploySlow(), deploySlow(), deploySlow(), deploySlow()];
  await Promise.all(four.map((task) => act.startSlow(task)));

  expect(stuckOnes.filter(({ task_id }) => world.tasks.endOf(task_id))).toEqual([]);
  expect(stuckOnes.every(({ task_id }) => world.tasks.claimed.filter((id) => id === task_id).length === 1)).toBe(true);
  // The bench `waiting` measures how long a deploy takes beside them.
  process.stdout.write(
    `a runner with four slots: ${alone.toFixed(0)} MiB alone, ${waiting.toFixed(0)} MiB with 40 waiting\n`,
  );
});

/** Resident memory of the runner's process. */
async function residentMiB({ pid }: RunnerProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

test('a runner without room for more waits keeps them in their slots', async () => {
  await using _runner = await world.start({ RUNNER_CONCURRENCY: '1', RUNNER_WAITING: '1' });
  const [first, second, third] = [stuckTask(), stuckTask(), taskOf(world.chart)];
  for (const task of [first, second]) world.tasks.give(task);
  for (const task of [first, second]) await toAwait(task);
  world.tasks.give(third);
  await soon('three more heartbeats', () => world.tasks.beatsOf(second.task_id) > 3);
  expect(world.tasks.claimed).not.toContain(third.task_id);

  world.tasks.cancel(first.task_id);

  expect(await soon('the outcome', () => world.tasks.endOf(third.task_id))).toMatchObject({ outcome: 'Done' });
});

test('a run is part of the trace of the request that created its task, and is counted with its outcome', async () => {
  const traces: string[] = [];
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => traces.push(chunk.toString()));
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  const [health, otlp] = [await freePort(), await freePort()];
  collector.listen(otlp, '127.0.0.1');
  await using runner = await world.start({
    HEALTH_PORT: String(health),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${otlp}`,
  });
  const traceId = 'c0ffee00c0ffee00c0ffee00c0ffee00';
  await act.run(taskOf(world.chart, { traceparent: `00-${traceId}-1234567890abcdef-01` }));

  const metrics = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
  runner.signal('SIGTERM');
  await runner.ended;
  collector.closeAllConnections();
  collector.close();

  expect(metrics).toMatch(/berth_runner_task_seconds_count\{outcome="Done",action="deploy"[^}]*\} 1/);
  expect(metrics).toMatch(/berth_runner_helm_running(\{[^}]*\})? 0/);
  const spans = traces.join('');
  expect(spans).toContain(traceId);
  for (const name of ['run deploy', 'enter namespace', 'helm upgrade', 'report outcome']) expect(spans).toContain(name);
});

/** Its exit code if it ended by itself, else its log. */
async function endedWell(runner: RunnerProcess): Promise<void> {
  const code = await runner.ended;
  expect({ code, log: code === 0 ? '' : runner.log().slice(-5_000) }).toEqual({ code: 0, log: '' });
}

async function guardOf(runner: number): Promise<number> {
  const children = (await readFile(`/proc/${runner}/task/${runner}/children`, 'utf8')).trim().split(' ');
  for (const pid of children) {
    if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('process-guard-main')) return Number(pid);
  }
  throw new Error('the runner has no process guard');
}
