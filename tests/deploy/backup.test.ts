import { type Client, createClient, unwrap, waitForTask, waitUntil } from '@berth/client';
import { assignCluster, ensureEnv, findChart, type Sample } from '@berth/devstack/journey/find-sample';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import { signIn, signInAsAda } from '@berth/devstack/journey/sign-in';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callingChart } from './setup/calling-chart.ts';
import { debianPostgres } from './setup/debian-postgres.ts';
import { commandsIn, guideShell } from './setup/guide.ts';
import { installBerth, type Installation } from './setup/installation.ts';

const signal = AbortSignal.timeout(40 * 60_000);
const running = { withinMs: 180_000, signal };

const contents = 'a secret that was sealed before the backup';
/** Deployments by their history between backup and restore. */
const names = ['kept', 'upgraded', 'deleted'] as const;

const Releases = z.object({
  items: z.array(z.object({ metadata: z.object({ labels: z.looseObject({ version: z.string() }) }) })),
});
const SecretData = z.object({ data: z.record(z.string(), z.string()) });
const Pods = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

describe('Berth, restored from a backup by the commands of docs/backup.md', () => {
  let berth: Installation;
  let shell: (commands: string) => Promise<string>;
  let api: Client;
  let bot: Client;
  let sample: Sample;
  let later: Deployment;
  const given = new Map<string, Deployment>();
  let before: Awaited<ReturnType<typeof whatIsKept>>;
  let healthBefore: Awaited<ReturnType<typeof healthOfAll>>;

  const deployment = (name: string): Deployment => {
    const found = given.get(name);
    if (!found) throw new Error(`no deployment ${name} was made`);
    return found;
  };
  const read = async (name: string) => unwrap(await api.deployments.get({ id: deployment(name).id }));
  /** The revisions of its Helm release in the cluster. */
  const revisions = async ({ namespace }: Deployment) => {
    const { items } = Releases.parse(
      await berth.read(`/api/v1/namespaces/${namespace}/secrets?labelSelector=owner%3Dhelm`),
    );
    return items.map(({ metadata }) => Number(metadata.labels.version)).toSorted((a, b) => a - b);
  };
  const tasksOf = async (deployment_id: string) =>
    unwrap(await api.deploymentTasks.list({ query: { deployment_id, per_page: 100 } })).items;
  /** Changes its text and waits for the task. */
  const change = async (name: string, greeting: string) => {
    const { id, config } = await read(name);
    unwrap(await api.deployments.update({ id, body: { config: { ...config, greeting } } }));
    const [task] = await tasksOf(id);
    const done = await waitForTask(api, task?.id ?? '', { withinMs: 180_000 });
    expect(done).toMatchObject({ status: 'Done' });
  };
  /** Except for its health, which cluster-sync reports anew: it is compared once that is done. */
  const withoutHealth = ({ health: _health, reason: _reason, ...kept }: Deployment) => kept;
  const healthOf = async (name: string) => {
    const { health, reason } = await read(name);
    return { state: health?.state, health: health?.reason, causes: health?.causes, reason };
  };
  /** Of those that are in the cluster before and after. */
  const healthOfAll = async () => Promise.all(['kept', 'upgraded'].map(healthOf));
  const whatIsKept = async () => ({
    kept: withoutHealth(await read('kept')),
    tasks: await tasksOf(deployment('kept').id),
    envs: unwrap(await api.envs.list({ query: { per_page: 100 } })).items,
    members: unwrap(await api.envUserPermissions.list({ query: { per_page: 100 } })).items,
    users: unwrap(await api.users.list({ query: { per_page: 100 } })).items,
    secrets: unwrap(await api.secrets.list({ query: { per_page: 100 } })).items,
    charts: unwrap(await api.helmCharts.list({ query: { per_page: 100 } })).items,
  });

  beforeAll(async () => {
    berth = await installBerth({ signal, postgres: await debianPostgres() });
    shell = await guideShell(berth, signal);
    const clientOf = (token: string) =>
      createClient({ baseUrl: berth.url, credential: () => ({ token }), signal, patience: { ms: 60_000 } });
    api = clientOf(await signInAsAda({ stack: berth, signal }));
    const { id: bot_id } = unwrap(await api.bots.create({ body: { display_name: 'a bot' } }));
    bot = clientOf(unwrap(await api.botTokens.create({ body: { bot_id } })).created_token);

    await using chart = await callingChart();
    await pushChart({ tools: berth.tools, registry: berth.registry, folder: chart.folder, signal });
    const env = await ensureEnv(api, 'real');
    sample = { ...(await findChart(api, signal)), cluster: await assignCluster(api, { cluster: 'own', env, signal }) };
    await signIn({ stack: berth, signal }, 'grace');
    const [grace] = unwrap(await api.users.list({ query: { email: 'grace@example.test' } })).items;
    const member = { env_id: env.id, user_id: grace?.id ?? '', role: 'User' as const };
    unwrap(await api.envUserPermissions.create({ body: member }));
    const body = { env_id: env.id, collection: 'secrets', name: 'token', contents };
    const token = unwrap(await api.secrets.create({ body })).id;
    for (const name of names) given.set(name, await createHello(api, sample, name, { replicas: 1, token }));
    for (const name of names) given.set(name, await waitForRunning(api, deployment(name).id, running));
    before = await whatIsKept();
    // A deployment is Running when Helm has installed it, a moment before its health is reported.
    const areHealthy = async () => (await healthOfAll()).every(({ state }) => state === 'Healthy');
    await waitUntil(areHealthy, { what: 'the deployments to be healthy', withinMs: 120_000, signal });
    healthBefore = await healthOfAll();

    for (const commands of await commandsIn('backup.md', 'Backup')) await shell(commands);

    await change('upgraded', 'After the backup');
    unwrap(await api.deployments.delete({ id: deployment('deleted').id }));
    later = await waitForRunning(api, (await createHello(api, sample, 'later', { replicas: 1 })).id, running);
    await waitUntil(
      async () =>
        (await berth.node.api.get(`/api/v1/namespaces/${deployment('deleted').namespace}`, signal)).status === 404,
      { what: 'the namespace of the deleted deployment to be gone', withinMs: 60_000, signal },
    );

    // Only the clusters remain.
    berth.routeToNobody();
    await shell('helm --namespace berth uninstall berth --wait');
    await shell('kubectl delete namespace berth --wait');
    await berth.servers.replaceStores();
    const [secrets = '', ...rest] = await commandsIn('backup.md', 'Restore');
    await shell(secrets);
    await berth.prepareNamespace();
    for (const commands of rest) await shell(commands);
    await berth.routeToGateway();
  }, 30 * 60_000);
  afterAll(() => berth?.[Symbol.asyncDispose](), 120_000);

  test('deployments, tasks, members and secrets are those of the backup, tokens work, and nothing is installed again', async () => {
    expect(await whatIsKept()).toEqual(before);
    expect(unwrap(await bot.me.get())).toHaveProperty('Bot');
    expect(await revisions(deployment('kept'))).toEqual([1]);

    for (const commands of await commandsIn('backup.md', 'Check')) {
      // A service may take a minute to publish everything again.
      const consistent = () =>
        shell(commands).then(
          () => true,
          () => false,
        );
      await waitUntil(consistent, { what: 'every service to be consistent', withinMs: 90_000, signal });
    }
    const isAsBefore = async () => JSON.stringify(await healthOfAll()) === JSON.stringify(healthBefore);
    await waitUntil(isAsBefore, { what: 'the health of before the backup', withinMs: 180_000, signal });
    expect(await tasksOf(deployment('kept').id)).toEqual(before.tasks);
    expect(await revisions(deployment('kept'))).toEqual([1]);
  });

  test('a restored deployment is upgraded, with the contents of its secret', async () => {
    const { namespace } = deployment('kept');
    const path = `/api/v1/namespaces/${namespace}/secrets/hello-web`;
    await berth.node.api.remove(path, signal);

    await change('kept', 'After the restore');

    expect(await revisions(deployment('kept'))).toEqual([1, 2]);
    const { data } = SecretData.parse(await berth.read(path));
    expect(Buffer.from(data['token'] ?? '', 'base64').toString()).toBe(contents);
  });

  test('a deployment that was upgraded after the backup has the backed-up configuration and accepts the next change', async () => {
    expect((await read('upgraded')).config).toEqual(deployment('upgraded').config);
    expect(await revisions(deployment('upgraded'))).toEqual([1, 2]);

    await change('upgraded', 'After the restore');

    expect(await revisions(deployment('upgraded'))).toEqual([1, 2, 3]);
  });

  test('a deployment that was deleted after the backup is in Error, and a Reinstall restores it', async () => {
    const { id } = deployment('deleted');
    const isLost = async () => (await read('deleted')).status === 'Error';
    await waitUntil(isLost, { what: 'the missing namespace to be noticed', withinMs: 120_000, signal });

    const operation = { Reinstall: { reason: 'It was deleted after the backup' } };
    const task = unwrap(await api.deploymentTasks.create({ body: { deployment_id: id, operation } }));

    expect(await waitForTask(api, task.id, { withinMs: 180_000 })).toMatchObject({ status: 'Done' });
    expect(await revisions(deployment('deleted'))).toEqual([1]);
  });

  test('a deployment that was created after the backup is unknown until its namespace is removed', async () => {
    const [list = ''] = await commandsIn('backup.md', 'What a restore does not bring back');
    const pods = `/api/v1/namespaces/${later.namespace}/pods`;
    const [pod] = Pods.parse(await berth.read(`${pods}?labelSelector=app%3Dcalling`)).items;

    expect(await shell(list)).toMatch(new RegExp(`^${later.namespace} +${later.id}$`, 'm'));
    expect(await api.deployments.get({ id: later.id })).toMatchObject({ ok: false, problem: { status: 404 } });
    const { body } = await berth.node.api.get(`${pods}/${pod?.metadata.name}:8080/proxy/`, signal);
    expect(JSON.parse(body)).toMatchObject({ status: 401 });

    const { id } = await createHello(api, sample, 'later', { replicas: 1 });
    const [task] = await tasksOf(id);
    const refused = await waitForTask(api, task?.id ?? '', { withinMs: 60_000 });
    expect(refused).toMatchObject({ status: 'Failed', reason: expect.stringContaining('exists already') });

    await shell(`kubectl delete namespace ${later.namespace} --wait`);
    const again = unwrap(await api.deploymentTasks.retry({ id: refused.id }));
    expect(await waitForTask(api, again.id, { withinMs: 180_000 })).toMatchObject({ status: 'Done' });
  });

  describe('a second restore in place, with a NATS that is newer than the dump', () => {
    const Row = z.array(z.object({ id: z.uuid(), version: z.number() }));
    const rows = async (select: string) =>
      Row.parse(
        JSON.parse(
          await shell(`psql "$DATABASE_URL" --no-align --tuples-only --command "
        select coalesce(json_agg(row order by row.id), '[]') from (${select}) as row"`),
        ),
      );
    const owned = () => rows(`select id, version from auth.outbox where resource = 'envs' and operation <> 'DELETE'`);
    const copy = (schema: string) => rows(`select id, version from ${schema}.env_projection where not deleted`);

    test('the projections of envs equal the dump, and an earlier deployment is upgraded', async () => {
      const added = await ensureEnv(api, 'added after the dump');
      const [known] = unwrap(await api.envs.list({ query: { name: 'real' } })).items;
      unwrap(await api.envs.update({ id: known?.id ?? '', body: { name: 'renamed after the dump' } }));
      await waitUntil(async () => (await copy('tasks')).some(({ id }) => id === added.id), {
        what: 'the env to be copied',
        withinMs: 30_000,
        signal,
      });

      berth.routeToNobody();
      for (const commands of await commandsIn('backup.md', 'Back to an earlier moment')) await shell(commands);
      const [, ...restore] = await commandsIn('backup.md', 'Restore');
      for (const commands of restore) await shell(commands);
      await berth.routeToGateway();

      expect(unwrap(await api.envs.list({ query: { per_page: 100 } })).items).toEqual(before.envs);
      for (const schema of ['tasks', 'cluster_sync']) {
        await waitUntil(async () => JSON.stringify(await copy(schema)) === JSON.stringify(await owned()), {
          what: `the envs of ${schema} to be those of auth`,
          withinMs: 150_000,
          signal,
        });
      }
      await change('kept', 'After the second restore');
      // Two of them were created after the dump.
      expect(await revisions(deployment('kept'))).toEqual([1, 2, 3]);
    }, 600_000);
  });
});
