import { type Client, createClient, unwrap, waitForTask, waitUntil } from '@berth/client';
import { assignCluster, ensureEnv, findChart, type Sample } from '@berth/devstack/journey/find-sample';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import { signInAsAda } from '@berth/devstack/journey/sign-in';
import { type CallerName, callerNames } from '@berth/contracts/definition/contract';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import type { Env } from '@berth/contracts/resources/envs/envs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callingChart } from './setup/calling-chart.ts';
import { commandsIn, guideShell, insteadOf } from './setup/guide.ts';
import { installBerth, type Installation, namespace, release } from './setup/installation.ts';
import { memoryInUse, memoryLines } from './setup/memory-in-use.ts';
import { followEvents } from './setup/upgrade/follow-events.ts';
import { startLoad, timesCreated } from './setup/upgrade/load.ts';
import { type PreviousVersion, previousVersion } from './setup/upgrade/previous-version.ts';

const signal = AbortSignal.timeout(60 * 60_000);

const Pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
      spec: z.object({ containers: z.array(z.object({ image: z.string() })) }),
      status: z.object({
        containerStatuses: z
          .array(z.object({ ready: z.boolean(), restartCount: z.number(), containerID: z.string().optional() }))
          .default([]),
      }),
    }),
  ),
});
type Pod = z.infer<typeof Pods>['items'][number];
const Releases = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });
const Node = z.object({ spec: z.object({ unschedulable: z.boolean().optional() }) });

const long = { timeout: 900_000 };

describe('Berth with two pods of each part, under constant requests', () => {
  let previous: PreviousVersion;
  let berth: Installation;
  let token: string;
  let shell: (commands: string) => Promise<string>;
  /** Repeats nothing. */
  let api: Client;
  /** Repeats requests that a vanished server left unanswered, like clients by default. */
  let patient: Client;
  let env: Env;
  let sample: Sample;
  beforeAll(async () => {
    previous = await previousVersion(signal);
    console.log(`the version before: ${previous.says}`);
    berth = await installBerth({ signal, replicas: 2, version: previous.version });
    shell = await guideShell(berth, signal);
    token = await signInAsAda({ stack: berth, signal });
    const clientWith = (ms: number) =>
      createClient({ baseUrl: berth.url, credential: () => ({ token }), signal, patience: { ms } });
    api = clientWith(0);
    patient = clientWith(30_000);
    await using calling = await callingChart();
    await pushChart({ tools: berth.tools, registry: berth.registry, folder: calling.folder, signal });
    env = await ensureEnv(api, 'real');
    sample = { ...(await findChart(api, signal)), cluster: await assignCluster(api, { cluster: 'own', env, signal }) };
  }, 50 * 60_000);
  afterAll(() => berth?.[Symbol.asyncDispose](), 120_000);

  const podsOf = async (part: CallerName) => {
    const selector = `labelSelector=app.kubernetes.io/instance%3D${release},app.kubernetes.io/component%3D${part}`;
    return Pods.parse(await berth.read(`/api/v1/namespaces/${namespace}/pods?${selector}`)).items;
  };
  const tasksOf = async ({ id }: Deployment) =>
    unwrap(await patient.deploymentTasks.list({ query: { deployment_id: id, per_page: 100 } })).items;
  const releasesOf = async (deployment: Deployment) =>
    Releases.parse(await berth.read(`/api/v1/namespaces/${deployment.namespace}/secrets?labelSelector=owner%3Dhelm`))
      .items;

  /** A deployment whose task runs while Berth changes: its pod stays unscheduled until it is released. */
  async function underWay(name: string) {
    const { registry, chart: version, cluster } = sample;
    const deployment = unwrap(
      await patient.deployments.create({
        body: {
          name,
          kind_id: registry.kind_id,
          cluster_id: cluster.id,
          helm_chart_id: version.id,
          config: { greeting: 'Hello', replicas: 1 },
          values_override: { nodeSelector: { [name]: 'yes' } },
        },
      }),
    );
    const isInstalling = async () => (await releasesOf(deployment).catch(() => [])).length > 0;
    await waitUntil(isInstalling, { what: 'Helm to wait for the pods', withinMs: 60_000, signal });
    const letGo = () =>
      berth.node.api.apply(
        `/api/v1/nodes/${berth.node.name}`,
        { apiVersion: 'v1', kind: 'Node', metadata: { name: berth.node.name, labels: { [name]: 'yes' } } },
        signal,
      );
    return { deployment, letGo };
  }

  const isReady = ({ metadata, status }: Pod) =>
    metadata.deletionTimestamp === undefined &&
    status.containerStatuses.length > 0 &&
    status.containerStatuses.every(({ ready }) => ready);
  /** Waits until a part has two ready pods and none that is terminating. */
  const untilWhole = (part: CallerName, isWanted: (pod: Pod) => boolean) =>
    waitUntil(
      async () => {
        const pods = await podsOf(part);
        return pods.length === 2 && pods.every((pod) => isReady(pod) && isWanted(pod));
      },
      { what: `two pods of ${part}`, withinMs: 240_000, longestPauseMs: 500, signal },
    );

  /**
   * Sends requests and runs a task during `change`; returns their outcomes. `change` reports its current step to `doing`, which
   * the message of a failed request contains.
   */
  async function underLoad(name: string, client: Client, change: (doing: (what: string) => void) => Promise<void>) {
    const { deployment, letGo } = await underWay(name);
    await using events = await followEvents({ url: berth.url, token, tables: 'secrets,bots' });
    let what = 'before';
    const began = performance.now();
    const load = startLoad({ api: client, env: env.id, name, meanwhile: () => what });

    await change((next) => {
      what = next;
      console.log(`${name}: ${next} at ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }).finally(() => (what = 'afterwards'));
    const { answered, created, failed, shed } = await load.stop();
    console.log(
      `${name}: ${answered} requests in ${((performance.now() - began) / 1000).toFixed(1)} s, ${shed.length} made twice, ${events.streams()} streams of events`,
    );
    for (const words of shed) console.log(`${name}: made twice: ${words}`);

    const times = await timesCreated(patient, env.id, name);
    const unannounced = () => created.filter(({ id }) => !events.ids.has(id)).map((row) => row.name);
    await waitUntil(async () => unannounced().length === 0, { what: 'all events', withinMs: 20_000, signal }).catch(
      () => undefined,
    );
    await letGo();
    const [first] = await tasksOf(deployment);
    await waitForTask(patient, first?.id ?? '', { withinMs: 180_000, signal });
    await waitForRunning(patient, deployment.id, { withinMs: 60_000, signal });
    return {
      failed,
      answered: answered > 100 ? 'more than a hundred' : answered,
      // Here every part starts at the same time, perhaps on two cores.
      shed: shed.length <= answered / 100 ? 'a few' : shed,
      doubled: [...times].filter(([, count]) => count !== 1),
      lost: created.filter((row) => !times.has(row.name)).map((row) => row.name),
      unannounced: unannounced(),
      wrongWithEvents: events.wrong,
      tasks: (await tasksOf(deployment)).map(({ status, attempts }) => ({ status, attempts })),
    };
  }
  const unnoticed = {
    failed: [],
    answered: 'more than a hundred',
    shed: 'a few',
    doubled: [],
    lost: [],
    unannounced: [],
    wrongWithEvents: [],
    // A stopping runner hands its task back, which does not count as an attempt.
    tasks: [{ status: 'Done', attempts: 1 }],
  };
  /** Where the version before may answer runners of this one. */
  const unnoticedBeside = ({ knowsWaits }: PreviousVersion) =>
    knowsWaits ? unnoticed : { ...unnoticed, tasks: [{ status: 'Done', attempts: expect.toBeOneOf([0, 1]) }] };

  test('when idle, each pod uses less memory than it requests', async () => {
    const pods = await memoryInUse(berth.node, namespace);
    for (const line of memoryLines(pods)) console.log(line);

    for (const part of callerNames) expect(pods.filter((pod) => pod.part === part)).toHaveLength(2);
    expect(pods).toHaveLength(2 * callerNames.length);
    expect(pods.filter(({ used, requested }) => used >= requested)).toEqual([]);
  });

  test(
    'an upgrade to another version by the command of docs/install.md rolls every part without failed requests or lost tasks',
    long,
    async () => {
      for (const name of callerNames) await berth.node.nameImage(`berth-${name}:0.1.0`, `berth-${name}:0.2.0`);

      const outcome = await underLoad('upgraded', api, async (doing) => {
        doing('the migrations');
        // The chart is the one of this checkout, so the images of the other version are named here.
        const reused = '--reset-then-reuse-values';
        const [commands = ''] = await commandsIn('install.md', 'To upgrade');
        await shell(insteadOf(commands, { [reused]: `${reused} --set global.image.tag=0.2.0` }));
        doing('new pods');
        const isNew = ({ spec }: Pod) => spec.containers.every(({ image }) => image.endsWith(':0.2.0'));
        await Promise.all(callerNames.map((part) => untilWhole(part, isNew)));
      });

      expect(outcome).toEqual(unnoticedBeside(previous));
    },
  );

  test(
    'rolling each part by itself, back and forth beside the others, fails no request and loses no task',
    long,
    async () => {
      const outcome = await underLoad('rolled', api, async (doing) => {
        const isSameCode = previous.version === undefined;
        // Back and forth, so that each pair of parts runs in both combinations of versions.
        for (const version of isSameCode ? ['the version before'] : ['the version before', 'this version']) {
          for (const part of callerNames) {
            doing(`${part} becomes ${version}`);
            const deployment = `--namespace ${namespace} deployment/${release}-${part}`;
            await shell(`kubectl rollout undo ${deployment} && kubectl rollout status --timeout 4m ${deployment}`);
          }
        }
      });

      expect(outcome).toEqual(unnoticedBeside(previous));
    },
  );

  test('a drain of the node, which evicts each pod, fails no request and loses no task', long, async () => {
    const before = new Set((await Promise.all(callerNames.map(podsOf))).flat().map(({ metadata }) => metadata.name));
    const { name } = berth.node;

    const outcome = await underLoad('drained', api, async (doing) => {
      doing('the drain');
      const drain = shell(
        `kubectl drain ${name} --pod-selector app.kubernetes.io/instance=${release} --delete-emptydir-data --timeout 10m`,
      );
      // There is no other node, so the new pods are scheduled on this one.
      const isCordoned = async () => Node.parse(await berth.read(`/api/v1/nodes/${name}`)).spec.unschedulable === true;
      await waitUntil(isCordoned, { what: 'the node to be cordoned', withinMs: 60_000, signal });
      await shell(`kubectl uncordon ${name}`);
      await drain;
      doing('the last new pods');
      await Promise.all(callerNames.map((part) => untilWhole(part, ({ metadata }) => !before.has(metadata.name))));
    });

    expect(outcome).toEqual(unnoticed);
  });

  test('killing each pod in turn fails no repeated request, runs none twice and loses no task', long, async () => {
    const outcome = await underLoad('killed', patient, async (doing) => {
      for (const part of callerNames) {
        for (const { metadata, status } of await podsOf(part)) {
          doing(metadata.name);
          const [container] = status.containerStatuses;
          await berth.node.killContainer(container?.containerID ?? '');
          const isNew = (pod: Pod) =>
            pod.metadata.name !== metadata.name ||
            pod.status.containerStatuses[0]?.restartCount !== container?.restartCount;
          await untilWhole(part, isNew);
        }
      }
    });

    // Attempts of killed runners count.
    const tasks = [{ status: 'Done', attempts: expect.any(Number) }];
    expect(outcome).toEqual({ ...unnoticed, tasks });
  });

  test('afterwards, a new deployment takes one task', async () => {
    const deployment = await createHello(api, sample, 'afterwards', { replicas: 1 });

    await waitForRunning(api, deployment.id, { withinMs: 180_000, signal });

    expect(await tasksOf(deployment)).toMatchObject([{ status: 'Done', attempts: 1 }]);
  });

  test('removing it by the commands of docs/install.md leaves what it has deployed', async () => {
    const deployment = await createHello(api, sample, 'left', { replicas: 1 });
    await waitForRunning(api, deployment.id, { withinMs: 180_000, signal });

    for (const commands of await commandsIn('install.md', 'To remove it')) await shell(commands);

    expect(await releasesOf(deployment)).toHaveLength(1);
    const secrets = Releases.parse(await berth.read(`/api/v1/namespaces/${namespace}/secrets`)).items;
    expect(secrets.map(({ metadata }) => metadata.name).filter((name) => !name.startsWith('given-'))).toEqual([]);
  });
});
