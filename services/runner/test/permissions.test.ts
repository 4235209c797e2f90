import { applyRbac } from '@berth/devstack/testing/apply-rbac';
import { managedLabels } from '@berth/contracts/fields/kubernetes-names';
import { AppError } from '@berth/contracts/errors';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { taskOf } from './support/fake-tasks.ts';
import { actionsIn } from './support/helm-actions.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './support/runner-world.ts';
import { usualChartFiles } from './support/usual-chart.ts';

vi.setConfig({ testTimeout: 240_000 });

let world: RunnerWorld;
let runner: RunnerProcess;
let act: ReturnType<typeof actionsIn>;

/** Each claim has a token of its deployment's account, with only the rights of `deploy/rbac/deployer.yaml`. */
beforeAll(async () => {
  world = await startRunnerWorld({ chartFiles: usualChartFiles });
  act = actionsIn(world);
  await applyRbac(world.api, 'deployer');
  world.credentials.write = async ({ task_id }) => {
    const namespace = namespaces.get(task_id) ?? '';
    existedBefore.push((await act.releases(namespace)).length);
    await act.post(`/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'service-creds', labels: managedLabels },
      stringData: { access_token: token, server_url: 'https://berth.example.com', expires_at: inAnHour },
    });
    return { expires_at: inAnHour, reason: null };
  };
  runner = await world.start();
});
afterAll(async () => {
  vi.resetConfig();
  await runner?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const token = 'a-token-that-no-log-of-a-task-shows';
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const namespaces = new Map<string, string>();
/** Releases in the namespace when its credentials were written. */
const existedBefore: number[] = [];

function usual(fields: Parameters<typeof taskOf>[1] = {}) {
  const task = taskOf(world.chart, fields);
  namespaces.set(task.task_id, task.namespace);
  return task;
}
const next = <T extends { task_id: string }>(task: T): T => ({
  ...task,
  task_id: crypto.randomUUID(),
  is_first: false,
});
/** A chart with many kinds to wait for. */
const run = (task: Parameters<typeof act.run>[0]) => act.run(task, 90_000);
const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 10_000 });
const Named = z.object({ metadata: z.object({ uid: z.string() }) });

test('a chart of the usual kinds is installed, upgraded, restarted and uninstalled with only the rights of the manifest', async () => {
  const task = usual();
  expect(await run(task)).toMatchObject({ outcome: 'Done', reason: null });

  const upgrade = { ...next(task), values: { text: 'changed' } };
  expect(await run(upgrade)).toMatchObject({ outcome: 'Done', reason: null });

  const path = `/apis/apps/v1/namespaces/${task.namespace}/deployments/web`;
  const { uid } = Named.parse(await act.get(path)).metadata;
  const at = new Date().toISOString();
  const restart = {
    ...next(task),
    action: 'restart' as const,
    restart: { kind: 'Deployment' as const, name: 'web', uid, at },
  };
  expect(await run(restart)).toMatchObject({ outcome: 'Done', reason: null });

  const uninstall = { ...next(task), action: 'uninstall' as const, delete_namespace: true, chart: null };
  expect(await run(uninstall)).toMatchObject({ outcome: 'Done', reason: null });
  expect(await act.exists(`/api/v1/namespaces/${task.namespace}`)).toBe(false);
});

test('a chart with a cluster-scoped object fails, and says which right it lacks', async () => {
  const task = usual({ values: { clusterScoped: true } });

  const refused = await run(task);
  expect(refused.outcome).toBe('Failed');
  expect(refused.reason).toMatch(
    /^Nothing was applied.*ClusterRole \S+ lies outside of namespaces.*cluster-role-grants/,
  );
  const log = world.tasks.textOf(task.task_id);
  expect(log.match(/lies outside of namespaces/g)).toHaveLength(1);
  expect(log).toMatch(/nothing was applied\. .*cluster-role-grants/);
  expect(await act.releases(task.namespace)).toEqual([]);
});

test('service-creds is written before the release, and not again for an upgrade', async () => {
  const task = usual();
  existedBefore.length = 0;

  expect(await run(task)).toMatchObject({ outcome: 'Done' });
  expect(await run({ ...next(task), values: { text: 'again' } })).toMatchObject({ outcome: 'Done' });

  expect(existedBefore).toEqual([0]);
});

test('a release that refers to platz-creds has them requested before it is applied, and is deployed without them if they are refused', async () => {
  const [plain, named] = [usual(), usual({ values: { text: 'platz-creds' } })];
  const existed: number[] = [];
  world.credentials.writeUpstream = async () => {
    existed.push((await act.releases(named.namespace)).length);
    return { reason: null };
  };

  expect(await run(plain)).toMatchObject({ outcome: 'Done' });
  expect(await run(named)).toMatchObject({ outcome: 'Done' });
  expect(world.credentials.upstream).toEqual([named.task_id]);
  expect(existed).toEqual([0]);

  world.credentials.writeUpstream = () => Promise.reject(new AppError('conflict', 'the cluster refuses it'));
  const again = next(named);
  expect(await run(again)).toMatchObject({ outcome: 'Done' });
  expect(world.tasks.textOf(again.task_id)).toContain(
    'the release refers to the Secret platz-creds, which was not written: the cluster refuses it',
  );
});

test('a release that brings its own Secret platz-creds has the one of Berth removed before it is applied, and back if it fails', async () => {
  const task = usual({ values: { text: 'platz-creds' } });
  const secrets = `/api/v1/namespaces/${task.namespace}/secrets`;
  const metadata = { name: 'platz-creds', labels: managedLabels };
  world.credentials.writeUpstream = async () => {
    await act.post(secrets, { metadata, stringData: { access_token: token } });
    return { reason: null };
  };
  world.credentials.removeUpstream = async () => {
    await world.api.deleteJson(`${secrets}/platz-creds`, {}, call());
    return null;
  };
  expect(await run(task)).toMatchObject({ outcome: 'Done' });

  const metadataOfHook = { name: 'Not Valid', annotations: { 'helm.sh/hook': 'pre-upgrade' } };
  const refusedHook = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOfHook };
  const failing = { text: 'platz-creds', bringsUpstream: true, objects: [refusedHook] };
  expect(await run({ ...next(task), values: failing })).toMatchObject({ outcome: 'Failed' });
  expect(await act.get(`${secrets}/platz-creds`)).toMatchObject({ metadata: { labels: managedLabels } });

  const own = { ...next(task), values: { text: 'platz-creds', bringsUpstream: true } };
  expect(await run(own)).toMatchObject({ outcome: 'Done', reason: null });

  expect(await act.get(`${secrets}/platz-creds`)).toMatchObject({
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' } },
  });
});

test('a first install requests its service-creds while the namespace is created, and again if that was too early', async () => {
  const write = world.credentials.write;
  const seen: boolean[] = [];
  world.credentials.write = async (claim) => {
    const namespace = namespaces.get(claim.task_id) ?? '';
    const isThere = await world.api.getJson(`/api/v1/namespaces/${namespace}`, call()).then(
      () => true,
      () => false,
    );
    seen.push(isThere);
    if (!isThere || seen.length === 1) throw new AppError('unavailable', 'The namespace is not there yet');
    return write(claim);
  };
  try {
    expect(await run(usual())).toMatchObject({ outcome: 'Done' });
    expect(seen).toEqual([expect.any(Boolean), true]);

    seen.length = 0;
    expect(await run({ ...next(usual()), is_first: false })).toMatchObject({ outcome: 'Unreachable' });
    expect(seen).toEqual([true]);
  } finally {
    world.credentials.write = write;
  }
});

test('a deploy without service-creds waits for them, and gives the reason if the deployment may not have any', async () => {
  const write = world.credentials.write;
  const missing = () => Promise.reject(new AppError('unavailable', 'The namespace is not there yet'));
  const answers = [missing, missing, async () => ({ expires_at: null, reason: 'The deployment is disabled' })];
  world.credentials.write = () => answers.shift()?.() ?? Promise.reject(new Error('requested a fourth time'));
  try {
    const task = usual({ wait: { enabled: false, timeout_secs: 60 } });
    expect(await run(task)).toMatchObject({ outcome: 'Unreachable', reason: 'The namespace is not there yet' });
    expect(await act.releases(task.namespace)).toEqual([]);

    const again = next(task);
    expect(await run(again)).toMatchObject({ outcome: 'Done' });
    expect(world.tasks.textOf(again.task_id)).toContain(
      'the namespace has no service-creds: The deployment is disabled',
    );
  } finally {
    world.credentials.write = write;
  }
});

test('the token in service-creds is redacted when a template prints it', async () => {
  const task = usual();
  await run(task);
  const failing = { ...next(task), values: { fail: `here it is: ${token}` } };

  const end = await run(failing);

  expect(end).toMatchObject({ outcome: 'Failed' });
  for (const text of [end.reason, world.tasks.textOf(failing.task_id)]) {
    expect(text).toContain('here it is');
    expect(text).not.toContain(token);
  }
});
