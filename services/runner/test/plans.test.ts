import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { waitUntil } from '@berth/client';
import { freePort } from '@berth/testing/network/free-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dryRunOf, taskOf } from './support/fake-tasks.ts';
import { watchHelms, soon } from './support/helm-actions.ts';
import { type Running, startRunning } from './support/start-running.ts';

let running: Running;
let world: Running['world'];
let runner: Running['runner'];
let act: Running['act'];
let outcomeOf: Running['outcomeOf'];
let planned: Running['planned'];
let health: number;
beforeAll(async () => {
  health = await freePort();
  running = await startRunning({ HEALTH_PORT: String(health) });
  ({ world, runner, act, outcomeOf, planned } = running);
});
afterAll(() => running?.[Symbol.asyncDispose]());

const shown = ({ objects }: DryRunResult) =>
  objects.map(({ action, kind, name }) => `${action} ${kind} ${name}`).sort();

const labels = { app: 'web' };
const web = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    ...spec,
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'web', image: 'web:1', resources: { limits: { cpu: '1000m' } } }] },
    },
  },
});
const object = (kind: string, name: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...metadata },
  ...more,
});
const service = (port: number) =>
  object('Service', 'web', { spec: { ports: [{ port, name: 'http' }], selector: labels } });

const withoutWait = { enabled: false, timeout_secs: 60 };

async function installed(objects: JsonObject[], fields: Partial<ClaimedTask> = {}): Promise<ClaimedTask> {
  const task = taskOf(world.chart, { values: { objects }, wait: withoutWait, ...fields });
  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });
  return task;
}

/** Versions of everything in a namespace that a plan might touch, and of the namespace. */
async function versionsIn(namespace: string): Promise<Record<string, string>> {
  const Objects = z.object({
    items: z.array(z.object({ metadata: z.object({ name: z.string(), resourceVersion: z.string() }) })),
  });
  const kinds = ['configmaps', 'secrets', 'services', 'events', 'pods'].map(
    (kind) => `/api/v1/namespaces/${namespace}/${kind}`,
  );
  const paths = [...kinds, `/apis/apps/v1/namespaces/${namespace}/deployments`];
  const found = await Promise.all(
    paths.map(async (path) =>
      Objects.parse(await act.get(path)).items.map(({ metadata }): [string, string] => [
        `${path}/${metadata.name}`,
        metadata.resourceVersion,
      ]),
    ),
  );
  return Object.fromEntries(found.flat());
}

/** Controllers keep working on a new release for a moment. */
async function versionsAtRest(namespace: string): ReturnType<typeof versionsIn> {
  for (let last = await versionsIn(namespace); ; ) {
    await sleep(1_000);
    const now = await versionsIn(namespace);
    if (isDeepStrictEqual(now, last)) return now;
    last = now;
  }
}

/** The values that the chart derives from these contents. */
const derivedFrom = (contents: string): string[] => [
  encodeURIComponent(contents),
  Buffer.from(`k:${contents}`).toString('base64').slice(4, -4),
  Buffer.from(contents).toString('base64').slice(0, 20),
  createHash('sha256').update(contents).digest('hex'),
  createHash('sha512').update(contents).digest('hex').slice(0, 20),
  createHash('sha1').update(contents).digest('hex').slice(0, 10),
  contents.slice(3, 9),
  contents.slice(0, 8),
];

describe('a dry run', () => {
  test('shows what the same deploy would create, change, replace, keep and delete, without changing anything', async () => {
    const kept = { annotations: { 'helm.sh/resource-policy': 'keep' } };
    const task = await installed([
      web(),
      service(80),
      object('ConfigMap', 'old'),
      object('ConfigMap', 'kept', {}, kept),
      object('ConfigMap', 'same', { data: { a: '1' } }),
    ]);
    const before = await versionsAtRest(task.namespace);

    const objects = [
      web({ replicas: 2, selector: { matchLabels: { app: 'web', tier: 'a' } } }),
      service(81),
      object('ConfigMap', 'same', { data: { a: '1' } }),
      object('ConfigMap', 'new'),
      object('Secret', 'secret', { stringData: { a: 'swordfish' } }),
      object(
        'Pod',
        'hook',
        { spec: { containers: [] } },
        { annotations: { 'helm.sh/hook': 'post-upgrade,pre-install' } },
      ),
    ];
    const result = await planned(dryRunOf(task, { values: { objects, text: 'changed' } }));

    expect(shown(result)).toEqual([
      // A pod needs a container.
      'blocked Pod hook',
      'change ConfigMap probe',
      'change Service web',
      'create ConfigMap new',
      'create Secret secret',
      'delete ConfigMap old',
      'keep ConfigMap kept',
      'replace Deployment web',
    ]);
    const fieldsOf = (kind: string) => result.objects.find((one) => one.kind === kind)?.fields;
    expect(fieldsOf('Service')).toEqual([
      { path: '/spec/ports/port=81', after: expect.anything(), hidden: false },
      { path: '/spec/ports/port=80', before: expect.anything(), hidden: false },
    ]);
    expect(fieldsOf('Deployment')).toEqual([
      { path: '/spec/replicas', before: 1, after: 2, hidden: false },
      { path: '/spec/selector/matchLabels/tier', after: 'a', hidden: false },
    ]);
    expect(result).toMatchObject({ unchanged: 1, hooks: [{ kind: 'Pod', name: 'hook', events: ['post-upgrade'] }] });
    expect(JSON.stringify(result)).not.toContain('swordfish');
    expect(await versionsIn(task.namespace)).toEqual(before);
    expect(await readdir(join(runner.folder, 'tasks'))).toEqual([]);
  });

  test('of the installed configuration shows no change, despite defaults that the server filled in', async () => {
    const task = await installed([
      web(),
      service(80),
      object('ServiceAccount', 'a'),
      object('PersistentVolumeClaim', 'claim', {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
      }),
    ]);

    expect(await planned(dryRunOf(task))).toMatchObject({ objects: [], unchanged: 5 });
  });

  test('of a deployment without a namespace does not create one', async () => {
    const task = taskOf(world.chart, { values: { objects: [web()] } });

    const result = await planned(dryRunOf(task, { secrets: { ours: { key: 'swordfish' } } }));

    expect(shown(result)).toEqual([
      'create ConfigMap probe',
      'create Deployment web',
      `create Namespace ${task.namespace}`,
      'create Secret ours',
    ]);
    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
  });

  test('of a namespace that belongs to somebody else reports that', async () => {
    const task = await installed([]);

    const result = await planned(dryRunOf(task, { deployment_id: randomUUID() }));

    expect(shown(result)).toEqual([`blocked Namespace ${task.namespace}`]);
  });

  test('of an object that exists outside the release does not show its contents', async () => {
    const task = await installed([]);
    const strange = `strange-${randomUUID()}`;
    await act.post('/api/v1/namespaces/default/configmaps', {
      metadata: { name: strange },
      data: { a: 'not for you' },
    });
    const objects = [object('ConfigMap', strange, { data: { a: 'x' } }, { namespace: 'default' })];

    const result = await planned(dryRunOf(task, { values: { objects } }));

    expect(result.objects).toMatchObject([{ action: 'blocked', name: strange, namespace: 'default', fields: [] }]);
  });

  test('never shows the contents of a secret, wherever the chart puts them', async () => {
    const task = await installed([], {
      values: { text: 'was hammerhead' },
      secrets: { ours: { key: 'old contents' } },
    });

    const result = await planned(
      dryRunOf(task, {
        values: { text: 'is swordfish', objects: [object('Secret', 'b', { stringData: { a: 'c4n4ry' } })] },
        secrets: { ours: { key: 'new contents' } },
        confidential: ['swordfish', 'hammerhead'],
      }),
    );

    expect(result.objects).toMatchObject([
      { action: 'change', kind: 'ConfigMap', fields: [{ path: '/data/text', hidden: true }] },
      { action: 'change', kind: 'Secret', name: 'ours', fields: [{ path: '/data/key', hidden: true }] },
      { action: 'create', kind: 'Secret', name: 'b', fields: [] },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/swordfish|hammerhead|contents|c4n4ry/);
    expect(runner.log()).not.toMatch(/swordfish|hammerhead|c4n4ry/);
  });

  test('never shows values that the chart derives from a secret, in any encoding, before or after a rotation', async () => {
    const [before, after] = ['Old+Secret&Value=1234567', 'New/Secret&Value?7654321'];
    const task = await installed([], { values: { conf: before, text: 'one' }, confidential: [before] });

    const result = await planned(dryRunOf(task, { values: { conf: after, text: 'two' }, confidential: [after] }));

    const derived = result.objects.find(({ name }) => name === 'derived');
    expect(derived).toMatchObject({ action: 'change', kind: 'ConfigMap' });
    expect(derived?.fields.filter(({ hidden }) => !hidden)).toEqual([
      { path: '/data/plain', before: 'one', after: 'two', hidden: false },
    ]);
    expect(derived?.fields.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/data/url',
        '/data/basic',
        '/data/sum',
        '/data/part',
        '/data/***',
        '/metadata/annotations/short',
      ]),
    );
    expect(result.objects.filter(({ action }) => action === 'create')).toMatchObject([{ name: '***', fields: [] }]);
    const text = JSON.stringify(result);
    for (const contents of [before, after]) {
      for (const made of derivedFrom(contents)) expect(text).not.toContain(made);
    }
  });

  test('shows no values if the chart does not render with other contents', async () => {
    const contents = 'Some-Secret-Value-1';
    const task = await installed([], { values: { conf: contents, text: 'one' }, confidential: [contents] });
    // The marker of these contents is one that the chart refuses.
    const other = 'hbckiba-2';
    const result = await planned(dryRunOf(task, { values: { conf: other, text: 'two' }, confidential: [other] }));

    const derived = result.objects.find(({ name }) => name === 'derived');
    expect(derived?.reason).toContain('no values are shown');
    expect(derived?.fields.every(({ hidden }) => hidden)).toBe(true);
    expect(JSON.stringify(result)).not.toMatch(/"(?:before|after)"/);
  });

  test('of a removal shows the objects that are deleted with the namespace', async () => {
    const cluster = `probe-${randomUUID()}`;
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: cluster },
      rules: [],
    };
    // As with a grant for cluster roles.
    world.issueInOrder([world.adminKubeconfig]);
    const task = await installed([service(80), role]);

    const result = await planned(dryRunOf(task, { action: 'uninstall', chart: null }));
    world.issueInOrder([]);

    expect(shown(result)).toEqual([
      `delete ClusterRole ${cluster}`,
      'delete ConfigMap probe',
      `delete Namespace ${task.namespace}`,
      'delete Service web',
    ]);
    expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(true);
  });

  test('of a chart that fails is refused with the message of the chart, without secrets', async () => {
    const task = taskOf(world.chart, { values: { fail: 'replicas must be odd, swordfish' } });

    const outcome = await outcomeOf(dryRunOf(task, { confidential: ['swordfish'] }));

    expect(outcome).toMatchObject({
      failure: { refused: true, reason: expect.stringMatching(/must be odd, \*\*\*$/) },
    });
  });

  test('is counted while it runs, and by its outcome when it has ended', async () => {
    const metric = async (series: string) => {
      const page = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
      return Number(page.split(`\n${series} `)[1]?.split('\n')[0] ?? 0);
    };
    await soon('the metrics of the runner', () => metric('berth_runner_dry_runs_running').then(String, () => null));
    const ended = (outcome: string) => metric(`berth_runner_dry_run_seconds_count{outcome="${outcome}"}`);
    const before = { done: await ended('Done'), refused: await ended('Refused') };

    const task = taskOf(world.chart, { values: { objects: [service(80)] } });
    const made = planned(dryRunOf(task));
    await soon(
      'a dry run that is counted while it runs',
      async () => (await metric('berth_runner_dry_runs_running')) === 1,
    );
    await made;
    await outcomeOf(dryRunOf(task, { values: { fail: 'no' } }));

    await soon('no dry run is running', async () => (await metric('berth_runner_dry_runs_running')) === 0);
    expect({ done: await ended('Done'), refused: await ended('Refused') }).toEqual({
      done: before.done + 1,
      refused: before.refused + 1,
    });
  });

  test('that renders more than four mebibytes is stopped, and the next one runs', async () => {
    const task = taskOf(world.chart);

    expect(await outcomeOf(dryRunOf(task, { values: { many: 90, bytes: 60_000 } }))).toMatchObject({
      failure: { refused: true, reason: expect.stringContaining('more than 4 MiB') },
    });
    expect(await planned(dryRunOf(task))).toMatchObject({ cut: { objects: 0 } });
  });

  test('of too many objects to read in time is refused', async () => {
    const outcome = await outcomeOf(dryRunOf(taskOf(world.chart), { values: { many: 501, bytes: 1 } }));

    expect(outcome).toMatchObject({ failure: { refused: true, reason: expect.stringContaining('500 objects') } });
  });

  test('ends at its deadline', async () => {
    const chart = await world.lateChart(() => new Promise((resolve) => setTimeout(resolve, 8_000)));
    const task = taskOf(chart);

    const outcome = await outcomeOf(dryRunOf(task, { within_ms: 2_500 }));

    expect(outcome).toMatchObject({ failure: { refused: false, reason: expect.stringContaining('took too long') } });
    expect(await readdir(join(runner.folder, 'tasks'))).toEqual([]);
  });

  test('runs while a task of the release is under way', async () => {
    const task = taskOf(world.chart, { values: { slow: true } });
    await act.startSlow(task);

    const result = await planned(dryRunOf(task, { values: { text: 'changed' } }));

    expect(shown(result)).toEqual(['change ConfigMap probe', 'delete Deployment slow']);
    world.tasks.cancel(task.task_id);
    await soon('the task to end', () => world.tasks.endOf(task.task_id));
  });
});

test('no argument or environment of a process contains values of a dry run', async () => {
  // This many objects keep Helm busy long enough to be sampled.
  const task = taskOf(world.chart, { values: { text: `canary-${'x'.repeat(20)}`, many: 300, bytes: 10 } });
  const seen: string[] = [];
  const read = (pid: number, name: string) => readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '');
  const helms = watchHelms(task.namespace);
  world.tasks.giveDryRun(dryRunOf(task, { task_id: task.task_id }));

  const poll = async () => {
    for (const pid of helms()) seen.push(await read(pid, 'cmdline'), await read(pid, 'environ'));
    return world.tasks.outcomeOf(task.task_id);
  };
  // Helm is gone after a tenth of a second.
  await waitUntil(poll, { what: 'the outcome', withinMs: 60_000, everyMs: 5, longestPauseMs: 5 });

  expect(seen.join()).toContain('--api-versions');
  expect(seen.join()).not.toContain('canary-');
});
