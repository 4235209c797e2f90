import { mkdir } from 'node:fs/promises';
import { get } from 'node:https';
import { join } from 'node:path';
import { createClient, unwrap } from '@berth/client';
import { callerNames } from '@berth/contracts/definition/contract';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { signIn } from '@berth/devstack/journey/sign-in';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callingChart } from './setup/calling-chart.ts';
import { commandsIn, guideShell, insteadOf } from './setup/guide.ts';
import { namespace, release, startSurroundings, type Surroundings } from './setup/installation.ts';
import { memoryInUse, memoryLines } from './setup/memory-in-use.ts';
import { loadStandIns } from './setup/images/stand-in-images.ts';
import { whatHappened } from './setup/what-happened.ts';

const signal = AbortSignal.timeout(40 * 60_000);

const Pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
      spec: z.object({ nodeName: z.string() }),
      status: z.object({
        phase: z.string(),
        containerStatuses: z.array(z.object({ ready: z.boolean(), restartCount: z.number() })),
      }),
    }),
  ),
});
const Service = z.object({ spec: z.object({ clusterIP: z.string(), ports: z.array(z.object({ port: z.number() })) }) });

describe('Berth, installed by the commands of docs/install.md on an empty real node', () => {
  let berth: Surroundings;
  let shell: (commands: string) => Promise<string>;
  let own: string;
  /** The output of the guide's commands. */
  let tested: string;
  const began = { guide: 0 };
  const say = (what: string) => console.log(`${what}: ${((performance.now() - began.guide) / 1000).toFixed(1)} s`);

  beforeAll(async () => {
    berth = await startSurroundings({ signal });
    await loadStandIns({ ...berth, signal });
    await makeVolumes(berth, ['8Gi', '4Gi']);
    // Like users who push the images to their own registry.
    for (const name of callerNames) {
      await berth.node.nameImage(`berth-${name}:0.1.0`, `registry.example.com/berth/berth-${name}:0.1.0`);
    }
    shell = await guideShell(berth, signal);

    const { oidc, registry } = berth.servers;
    const address = `${berth.node.address}:${registry.port}`;
    own = `HOST=berth.example.com URL=${berth.url} ADMIN=${berth.people[0]?.email} PROXIES=10.0.0.0/8
IMAGES=registry.example.com/berth REGISTRY=${address}
ISSUER=${oidc.issuer} CLIENT_ID=berth CLIENT_SECRET=${oidc.clientSecret}
`;
    const [evaluate = ''] = await commandsIn('install.md', 'To evaluate it');
    const [, ...rest] = evaluate.split('\n\n');
    // The provider and the registry beside this cluster have no TLS.
    const commands = insteadOf(rest.join('\n\n'), {
      'auth:\n': 'auth:\n  oidc: { allowHttp: true }\n',
      'url: "https://$REGISTRY",': 'url: "http://$REGISTRY", allow_http: true, poll_interval_seconds: 5,',
    });
    began.guide = performance.now();
    tested = await shell(own + commands).catch(async (error: unknown) => {
      throw new Error(`the guide fails\n${await whatHappened(berth.node, namespace)}`, { cause: error });
    });
    say('installed and tested by Helm');
    await berth.routeToGateway();
  }, 20 * 60_000);
  afterAll(() => berth?.[Symbol.asyncDispose](), 120_000);

  test("the commands of the guide end with the release's test, which succeeds", () => {
    expect(tested).toMatch(/^TEST SUITE: +berth-test$/m);
    expect(tested).toMatch(/^Phase: +Succeeded$/m);
  });

  test('every part is a ready pod that uses less memory than it requests', async () => {
    const selector = `labelSelector=app.kubernetes.io/instance%3D${release}`;
    const { items } = Pods.parse(await berth.read(`/api/v1/namespaces/${namespace}/pods?${selector}`));
    const running = items.filter(({ status }) => status.phase === 'Running');

    expect(new Set(running.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']))).toEqual(
      new Set([...callerNames, 'nats', 'postgresql']),
    );
    expect(running).toHaveLength(callerNames.length + 2);
    for (const { metadata, spec, status } of running) {
      expect(
        status.containerStatuses.every(({ ready }) => ready),
        metadata.name,
      ).toBe(true);
      expect(spec.nodeName).toBe(berth.node.name);
    }
    const memory = await memoryInUse(berth.node, namespace);
    for (const line of memoryLines(memory)) console.log(line);
    expect(memory.filter(({ used, requested }) => used >= requested)).toEqual([]);
  });

  test('the commands of the guide deploy the first chart, and its pod calls the API as its deployment', async () => {
    await using chart = await callingChart();
    const [env = '', deploy = ''] = await commandsIn('install.md', 'The first chart');
    const variables = `SESSION=… CHART=packages/devstack/sample-charts/${sampleChart.name}`;
    const session = await signIn({ stack: berth, signal }, 'ada');
    const commands = [
      own,
      insteadOf(env, { [variables]: `SESSION=${session} CHART=${chart.folder}` }),
      insteadOf(deploy, { '"oci://$REGISTRY/charts"': '"oci://$REGISTRY/charts" --plain-http' }),
    ];

    const printed = await shell(commands.join('\n'));
    say('from nothing to a deployed chart, with the sign-in');

    const deployment: unknown = JSON.parse(printed.slice(printed.lastIndexOf('\n{\n') + 1));
    // For half a minute the reason may still say that its pods have just started.
    expect(deployment).toMatchObject({ name: 'first', status: 'Running' });
    const api = createClient({ baseUrl: berth.url, credential: () => ({ jwt: session }), signal });
    const [made] = unwrap(await api.deployments.list({ query: { name: 'first' } })).items;
    const pods = `/api/v1/namespaces/${made?.namespace}/pods`;
    const { items } = Pods.parse(await berth.read(`${pods}?labelSelector=app%3Dcalling`));
    expect(await berth.read(`${pods}/${items[0]?.metadata.name}:8080/proxy/`)).toMatchObject({
      Deployment: { id: made?.id },
    });
  });

  test('if the gateway has a certificate, it speaks TLS, and `helm test` reaches it by its name', async () => {
    await shell(`
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout tls.key -out tls.crt \
  -subj /CN=berth.example.com -addext subjectAltName=DNS:berth.example.com 2> /dev/null
kubectl --namespace berth create secret generic gateway-tls --type kubernetes.io/tls \
  --from-file=tls.key --from-file=tls.crt --from-file=ca.crt=tls.crt
helm upgrade berth deploy/berth --namespace berth --reset-then-reuse-values --wait --timeout 5m \
  --set api-gateway.tls.existingSecret=gateway-tls --set ownUrlOverride=https://berth.example.com
helm test berth --namespace berth`);

    const service = await berth.read(`/api/v1/namespaces/${namespace}/services/${release}-api-gateway`);
    const { clusterIP: host, ports } = Service.parse(service).spec;
    const ca = await shell('cat tls.crt');
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const timeout = AbortSignal.timeout(10_000);
    get({ host, port: 443, path: '/readyz', ca, servername: 'berth.example.com', signal: timeout }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);

    expect(ports).toMatchObject([{ port: 443 }]);
    expect(await promise).toBe(200);
  });
});

/** Volumes as on a real cluster: on simulated nodes, only root can write to their folders. */
async function makeVolumes({ node, stateFolder }: Surroundings, sizes: readonly string[]): Promise<void> {
  await node.api.remove('/apis/storage.k8s.io/v1/storageclasses/standard', signal);
  for (const storage of sizes) {
    const name = `volume-${storage.toLowerCase()}`;
    const path = join(stateFolder, name);
    await mkdir(path);
    await node.api.apply(
      `/api/v1/persistentvolumes/${name}`,
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: {
          capacity: { storage },
          accessModes: ['ReadWriteOnce'],
          local: { path },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node.name] }] },
              ],
            },
          },
        },
      },
      signal,
    );
  }
}
