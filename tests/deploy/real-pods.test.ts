import { type Client, createClient, unwrap } from '@berth/client';
import { ensureEnv, assignCluster, findChart, type Sample } from '@berth/devstack/journey/find-sample';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { pushChart } from '@berth/devstack/journey/publish-sample-chart';
import { signInAsAda } from '@berth/devstack/journey/sign-in';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callingChart } from './setup/calling-chart.ts';
import { installBerth, type Installation, namespace, release } from './setup/installation.ts';

const signal = AbortSignal.timeout(40 * 60_000);

const Pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ nodeName: z.string() }),
      status: z.object({
        phase: z.string(),
        containerStatuses: z.array(z.object({ ready: z.boolean(), restartCount: z.number() })),
      }),
    }),
  ),
});

describe('Berth, installed by its chart on a real node', () => {
  let berth: Installation;
  let api: Client;
  beforeAll(async () => {
    berth = await installBerth({ signal });
    const token = await signInAsAda({ stack: berth, signal });
    api = createClient({ baseUrl: berth.url, credential: () => ({ token }), signal });
  }, 20 * 60_000);
  afterAll(() => berth?.[Symbol.asyncDispose](), 120_000);

  test('every part is a pod that is ready, in a namespace with the Pod Security Standard "restricted"', async () => {
    const labels = { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
    expect(await berth.read(`/api/v1/namespaces/${namespace}`)).toMatchObject({ metadata: labels });

    const selector = `labelSelector=app.kubernetes.io/instance%3D${release}`;
    const { items } = Pods.parse(await berth.read(`/api/v1/namespaces/${namespace}/pods?${selector}`));
    const running = items.filter(({ status }) => status.phase === 'Running');

    expect(running.map(({ metadata }) => metadata.name.replace(/-[^-]+-[^-]+$/, '')).sort()).toEqual(
      ['api-gateway', 'auth', 'cluster-sync', 'registry-scan', 'runner', 'tasks'].map((part) => `${release}-${part}`),
    );
    for (const { metadata, spec, status } of running) {
      expect(
        status.containerStatuses.every(({ ready }) => ready),
        metadata.name,
      ).toBe(true);
      expect(spec.nodeName).toBe(berth.node.name);
    }
  });

  test('a chart that is pushed is deployed by Helm in a pod, and its own pod calls the API as its deployment', async () => {
    await using chart = await callingChart();
    await pushChart({ tools: berth.tools, registry: berth.registry, folder: chart.folder, signal });
    const found = await findChart(api, signal);
    const env = await ensureEnv(api, 'real');
    const sample: Sample = { ...found, cluster: await assignCluster(api, { cluster: 'own', env, signal }) };

    const deployment = await createHello(api, sample, 'calling', { replicas: 1 });
    // Its pod is ready only when the API has accepted it as the deployment.
    await waitForRunning(api, deployment.id, { withinMs: 180_000, signal });

    const pods = `/api/v1/namespaces/${deployment.namespace}/pods`;
    const { items } = Pods.parse(await berth.read(`${pods}?labelSelector=app%3Dcalling`));
    const name = items[0]?.metadata.name ?? '';
    expect(await berth.read(`${pods}/${name}:8080/proxy/`)).toMatchObject({ Deployment: { id: deployment.id } });
    expect(unwrap(await api.deploymentTasks.list({ query: { deployment_id: deployment.id } })).items[0]?.status).toBe(
      'Done',
    );
  });
});
