import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ClusterInTest, startClusterInTest } from './support/cluster-in-test.ts';
import { customKinds, customResources } from './support/custom-resources.ts';
import { createDryRun } from './support/dry-run.ts';
import { broken, exceptions, podsWithoutPolicy } from './support/policy.ts';
import {
  bundled,
  chart,
  type HelmInTest,
  type Manifest,
  manifestsOf,
  merged,
  needed,
  podOf,
  startHelm,
  type Values,
} from './support/helm-in-test.ts';

let cluster: ClusterInTest;
let helm: HelmInTest;
/** Renders without a cluster, so lookups find nothing. */
let offline: HelmInTest;
beforeAll(async () => {
  cluster = await startClusterInTest();
  helm = await startHelm({ KUBECONFIG: cluster.kubeconfigFile });
  offline = await startHelm();
  const places = ['ships', 'clusters', 'ships-ship-berth-deployers'];
  for (const namespace of places) await create('/api/v1/namespaces', restrictedNamespace(namespace));
  for (const { path, object } of customResources) await create(path, object);
  await vi.waitFor(refuseUnservedResources, { interval: 200 });
}, 20 * 60_000);
afterAll(async () => {
  await helm?.[Symbol.asyncDispose]();
  await offline?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const call = () => ({ signal: AbortSignal.timeout(20_000), deadlineMs: 20_000 });
const create = (path: string, object: object) => cluster.api.postJson(path, object, call());
const read = (path: string) => cluster.api.getJson(path, call());
const restrictedNamespace = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
});

async function refuseUnservedResources(): Promise<void> {
  for (const { group, version, plural } of customKinds) {
    await cluster.api.getJson(`/apis/${group}/${version}/namespaces/ships/${plural}`, call());
  }
}

const all = ['monitoring.coreos.com/v1', 'keda.sh/v1alpha1', 'gateway.networking.k8s.io/v1'].flatMap((version) => [
  '--api-versions',
  version,
]);

const external: Values = {
  global: {
    image: {
      registry: 'registry.example.com/berth',
      tag: '1.2.3',
      pullSecrets: [{ name: 'pull' }],
      digests: { auth: `sha256:${'a'.repeat(64)}` },
    },
    postgresql: { host: 'db.example.com', ca: { existingSecret: 'db-ca' }, admin: { existingSecret: 'db-admin' } },
    nats: { url: 'tls://one:4222,tls://two:4222', replicas: 3, ca: { existingSecret: 'nats-ca' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      hosts: ['berth.example.com'],
      tls: [{ secretName: 'tls', hosts: ['berth.example.com'] }],
    },
    networkPolicy: {
      postgresql: [{ ipBlock: { cidr: '10.1.0.0/16' } }],
      gatewayFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    },
    tracing: { endpoint: 'http://collector:4318' },
  },
  'api-gateway': { trustedProxies: ['10.0.0.0/8'], autoscaling: { enabled: true } },
  auth: { adminEmails: ['ada@example.com'], autoscaling: { enabled: true }, resources: { limits: { cpu: 1 } } },
  tasks: { autoscaling: { enabled: true }, reservedNamespaces: ['vault'], otherKeys: { existingSecret: 'old-keys' } },
  runner: { autoscaling: { enabled: true, by: 'external' }, data: { medium: 'Memory', size: '512Mi' } },
};

const everythingBrought: Values = {
  global: {
    keys: { existingSecret: 'keys' },
    postgresql: { existingSecret: 'database-urls' },
    nats: { url: 'nats://nats.nats:4222', existingSecret: 'nats-passwords' },
    httpRoute: {
      enabled: true,
      parentRefs: [{ name: 'public', namespace: 'gateways' }],
      hostnames: ['berth.example.com'],
    },
  },
  'api-gateway': { trustedProxies: 'none' },
  'cluster-sync': { kubeconfig: { existingSecret: 'clusters', contexts: ['prod', 'test'] }, eks: { regions: ['all'] } },
  'registry-scan': {
    registries: [{ url: 'https://registry.example.com', existingSecret: 'registry', repository_prefix: 'charts/' }],
    push: { enabled: true, existingSecret: 'push' },
  },
  runner: {
    autoscaling: { enabled: true, by: 'keda', keda: { prometheusAddress: 'http://prometheus.monitoring:9090' } },
  },
  monitoring: { serviceMonitor: { enabled: true }, rules: { enabled: true }, dashboards: { enabled: true } },
  tests: { existingSecret: 'test-token' },
};

const upgrade = ['--is-upgrade'];
const byOperator: Values = { global: { postgresql: { bundledKind: 'cloudnative-pg' } } };

const ofStorageClass = (storageClassName: string): Values => ({
  global: { postgresql: { storageClassName }, nats: { storageClassName } },
});
const urlsBrought = { bundled: false, existingSecret: 'database-urls' };
const clustersElsewhere: Values = {
  'cluster-sync': { clusterSecrets: { namespace: 'clusters' }, eks: { regions: ['eu-central-1'] } },
};
const gatewayTls = (values: Values = {}): Values => ({
  'api-gateway': merged({ tls: { existingSecret: 'gateway-tls' } }, values),
});
const runnersBy = (by: string): Values => ({
  runner: { autoscaling: { enabled: true, by, keda: { prometheusAddress: 'http://prometheus.monitoring:9090' } } },
});
const peers = [{ ipBlock: { cidr: '10.0.0.0/8' } }, { namespaceSelector: { matchLabels: { name: 'servers' } } }];
const narrow = Object.fromEntries(
  ['gatewayFrom', 'pushFrom', 'metricsFrom', 'postgresql', 'nats', 'oidc', 'clusters', 'registries'].map((name) => [
    name,
    peers,
  ]),
);
const pushed: Values = {
  'registry-scan': {
    registries: [{ url: 'https://one.example.com' }, { url: 'https://two.example.com', existingSecret: 'two' }],
    push: { enabled: true, existingSecret: 'push' },
  },
};
const placed: Values = {
  nodeSelector: { pool: 'berth' },
  tolerations: [{ key: 'berth', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'Exists' }] }],
      },
    },
  },
  podLabels: { team: 'platform' },
  podAnnotations: { 'example.com/a': 'b' },
  serviceAccount: { annotations: { 'example.com/role': 'berth' } },
};
const probe = { tcpSocket: { port: 1 } };
const sidecar = {
  name: 'sidecar',
  image: 'registry.example.com/sidecar:1.0.0',
  imagePullPolicy: 'IfNotPresent',
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '32Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};
const extended: Values = {
  annotations: { 'example.com/owner': 'platform' },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/berth' }, labels: { a: 'b' } },
  strategy: { type: 'Recreate' },
  revisionHistoryLimit: 1,
  probes: { startup: { failureThreshold: 300 }, liveness: { periodSeconds: 30 }, readiness: { timeoutSeconds: 9 } },
  podSecurityContext: { supplementalGroups: [2000] },
  containerSecurityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  extraEnv: [{ name: 'AWS_REGION', value: 'eu-central-1' }],
  extraEnvFrom: [{ configMapRef: { name: 'more', optional: true } }],
  extraVolumes: [{ name: 'more', configMap: { name: 'more' } }],
  extraVolumeMounts: [{ name: 'more', mountPath: '/more', readOnly: true }],
  extraInitContainers: [{ ...sidecar, name: 'before' }],
  extraContainers: [{ ...sidecar, startupProbe: probe, livenessProbe: probe, readinessProbe: probe }],
  podSpec: {
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['id.example.com'] }],
    dnsConfig: { options: [{ name: 'ndots' }] },
  },
};
const outgoing: Values = {
  global: {
    caBundle: { existingConfigMap: 'authorities', key: 'bundle.pem' },
    proxy: {
      https: 'http://proxy.example.com:3128',
      http: 'http://proxy.example.com:8080',
      noProxy: ['10.96.0.1', '.example.com'],
    },
  },
};
const certificate = { enabled: true, issuerRef: { kind: 'ClusterIssuer', name: 'letsencrypt' }, duration: '2160h' };
const keysReplaced: Values = {
  auth: { otherKeys: { existingSecret: 'old-keys' } },
  tasks: { otherKeys: { existingSecret: 'old-keys' } },
};

const ownCluster: Values = {
  'cluster-sync': {
    ownCluster: { name: 'own', clusterScoped: true },
    sharedRunnerAccount: ['all'],
    clusterSecrets: { namespace: 'clusters' },
  },
};

const { nodeSelector, tolerations, affinity } = placed;
const placement = { nodeSelector, tolerations, affinity };
const broughtForTrial = {
  trial: false,
  keys: { existingSecret: 'keys' },
  postgresql: { existingSecret: 'urls' },
};

const everyPart = ['api-gateway', 'auth', 'tasks', 'cluster-sync', 'registry-scan', 'runner'];
const inEveryPart = (values: Values): Values => Object.fromEntries(everyPart.map((part) => [part, values]));
const inGlobal = (global: Values): Values => ({ global });
const ingress = { enabled: true, hosts: ['berth.example.com'] };
const httpRoute = { enabled: true, parentRefs: [{ name: 'public' }] };
const inFront = (global: Values): Values => ({ global, 'api-gateway': { trustedProxies: ['10.0.0.0/8'] } });

const matrix: [string, Values, string[]][] = [
  ['with servers of its own', bundled, []],
  ['with three NATS servers', merged(bundled, inGlobal({ nats: { servers: 3, replicas: 3 } })), []],
  ['with three NATS servers, in an upgrade', merged(bundled, inGlobal({ nats: { servers: 3, replicas: 3 } })), upgrade],
  ['with PostgreSQL by CloudNativePG', merged(bundled, byOperator), []],
  ['with volumes of a storage class', merged(bundled, ofStorageClass('fast')), []],
  ['with volumes of a storage class by CloudNativePG', merged(bundled, byOperator, ofStorageClass('fast')), []],
  ['with external servers', external, []],
  ['with external servers, in an upgrade', merged(external, ownCluster), upgrade],
  ['with everything brought', everythingBrought, all],
  ['with all servers external, in an upgrade', everythingBrought, [...all, ...upgrade]],
  ['with external PostgreSQL and bundled NATS', merged(bundled, inGlobal({ postgresql: urlsBrought })), []],
  ['with its own cluster as one of its clusters', merged(bundled, ownCluster), []],
  ['with clusters of labelled Secrets and of EKS', merged(bundled, clustersElsewhere), []],
  ['with an ingress without TLS', merged(bundled, inFront({ ownUrl: '', ingress })), []],
  [
    'with an ingress of two hosts',
    merged(
      bundled,
      inFront({ ingress: { ...ingress, hosts: ['a.example.com', 'b.example.com'], annotations: { a: 'b' } } }),
    ),
    [],
  ],
  ['with a Gateway', merged(bundled, inFront({ httpRoute: { ...httpRoute, annotations: { a: 'b' } } })), all],
  ['with an ingress and a Gateway', merged(bundled, inFront({ ingress, httpRoute })), all],
  [
    'with TLS at the gateway',
    merged(bundled, gatewayTls({ service: { type: 'LoadBalancer', annotations: { a: 'b' } } })),
    [],
  ],
  [
    'with TLS at the gateway behind an ingress and a Gateway',
    merged(bundled, inFront({ ingress, httpRoute }), gatewayTls()),
    all,
  ],
  [
    'with certificates of clients',
    merged(bundled, gatewayTls({ tls: { clientCa: { existingSecret: 'clients' } } })),
    [],
  ],
  ['with every part scaled by its load', merged(bundled, inEveryPart({ autoscaling: { enabled: true } })), []],
  ['with runners scaled by KEDA', merged(bundled, runnersBy('keda')), all],
  ['with runners scaled by an external metric', merged(bundled, runnersBy('external')), []],
  [
    'with monitors alone',
    merged(bundled, { monitoring: { serviceMonitor: { enabled: true, labels: { a: 'b' } } } }),
    all,
  ],
  ['with alerts alone', merged(bundled, { monitoring: { rules: { enabled: true } } }), all],
  ['with dashboards alone', merged(bundled, { monitoring: { dashboards: { enabled: true } } }), []],
  ['with no runners', merged(bundled, { runner: { enabled: false } }), []],
  ['with one pod of each part', merged(bundled, inEveryPart({ replicas: 1, topologySpread: false })), []],
  ['with no disruption budgets', merged(bundled, inEveryPart({ podDisruptionBudget: { enabled: false } })), []],
  ['with no network policies', merged(bundled, inGlobal({ networkPolicy: { enabled: false } })), []],
  ['with narrow network policies', merged(external, inGlobal({ networkPolicy: narrow }), pushed), []],
  ['with pods placed on nodes', merged(bundled, inEveryPart(placed)), []],
  [
    'with traces, on IPv6',
    merged(bundled, inGlobal({ tracing: { endpoint: 'http://traces:4318' }, listenAddress: '::' })),
    [],
  ],
  ['with keys that are being replaced', merged(bundled, keysReplaced), upgrade],
  ['with registries and their push events', merged(bundled, pushed), []],
  ['with everything that its operators add to its parts', merged(bundled, inEveryPart(extended)), []],
  ['with authorities and a proxy of its own', merged(bundled, outgoing), []],
  ['with authorities of a Secret', merged(bundled, inGlobal({ caBundle: { existingSecret: 'authorities' } })), upgrade],
  ['with users that the cluster chooses', merged(bundled, inGlobal({ runAsAnyUser: true })), []],
  [
    'with names and labels of its own',
    merged(bundled, inGlobal({ fullnameOverride: 'harbour', labels: { team: 'a' } })),
    [],
  ],
  ['placed as a whole, in an upgrade', merged(bundled, inGlobal(placement)), upgrade],
  ['with a certificate by cert-manager', merged(bundled, inFront({ ingress, certificate })), []],
  [
    'with a Gateway that checks its certificate',
    merged(
      bundled,
      inFront({
        httpRoute: { ...httpRoute, hostnames: ['berth.example.com'], backendTls: { enabled: true, caConfigMap: 'ca' } },
      }),
      gatewayTls(),
    ),
    all,
  ],
  [
    'for an evaluation with Secrets that were brought',
    merged(bundled, inGlobal({ ...broughtForTrial, nats: { existingSecret: 'nats', servers: 3, replicas: 3 } })),
    [],
  ],
  [
    'with URLs that were brought for roles that it makes',
    merged(bundled, inGlobal({ postgresql: { ...urlsBrought, admin: { existingSecret: 'admin' } } })),
    [],
  ],
];

test.for<[string, Values]>([
  ['StatefulSet', {}],
  ['Cluster', byOperator],
])(
  'the PostgreSQL of a release, as a %s, allows the connections of three replicas of each service during an upgrade',
  async ([kind, values]) => {
    const manifests = await offline.render(merged(needed, bundled, values));

    const server = manifests.find(({ kind: is, metadata }) => is === kind && metadata.name.endsWith('-postgresql'));
    const [, most] = /max_connections(?:=|":")(\d+)/.exec(JSON.stringify(server)) ?? [];
    // The number of connections of auth, tasks and registry-scan, and of cluster-sync.
    expect(Number(most)).toBeGreaterThan((3 + 1) * (10 + 10 + 10 + 12));
  },
);

test('the network policy of auth follows from the URL of the provider, also where only its Secret has it', async () => {
  const stringData = { serverUrl: 'https://id.example.com:8443', clientId: 'berth', clientSecret: 'secret' };
  const metadata = { name: 'oidc-config', namespace: 'ships' };
  await create('/api/v1/namespaces/ships/secrets', { apiVersion: 'v1', kind: 'Secret', metadata, stringData });
  const values = merged(bundled, { global: { trial: false }, ownUrlOverride: 'https://berth.example.com' });

  const manifests = manifestsOf(
    await helm.helm(['template', 'ship', chart, '-n', 'ships', '--dry-run=server'], values),
  );

  const policy = manifests.find(
    ({ kind, metadata: { name } }) => kind === 'NetworkPolicy' && name === 'ship-berth-auth',
  );
  expect(JSON.stringify(policy)).toContain('"port":8443');
});

/** Keyed by an object's JSON, because most objects are in several releases. */
const answers = new Map<string, Promise<string | undefined>>();
const once = (object: object, refusal: () => Promise<string | undefined>): Promise<string | undefined> => {
  const text = JSON.stringify(object);
  const known = answers.get(text) ?? refusal();
  answers.set(text, known);
  return known;
};

const used = new Set<string>();
describe.for(matrix)('a release %s', ([, values, args]) => {
  let manifests: Manifest[];
  beforeAll(async () => {
    manifests = await offline.render(merged(needed, values), ...args);
  });

  test('is accepted by the API server, with each field of each object', async () => {
    const dryRun = createDryRun(cluster.api);

    // Namespaces were created before, since a dry run does not create them for the objects in them.
    const sent = manifests.filter(({ kind }) => kind !== 'Namespace');
    const refused = await Promise.all(sent.map((manifest) => once(manifest, () => dryRun(manifest))));

    expect(refused.filter((words) => words !== undefined)).toEqual([]);
    expect(manifests.length).toBeGreaterThan(20);
  });

  test('has pods that are allowed under restricted Pod Security', async () => {
    const pods = manifests.flatMap((manifest) => {
      const spec = podOf(manifest);
      return spec ? [{ name: manifest.metadata.name, spec }] : [];
    });

    const refused = await Promise.all(
      pods.map(({ name, spec }) => {
        const pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name },
          // Their service account and storage class do not exist there.
          spec: { ...spec, restartPolicy: 'Always', serviceAccountName: undefined, priorityClassName: undefined },
        };
        return once(pod, () =>
          create('/api/v1/namespaces/ships/pods?dryRun=All&fieldValidation=Strict', pod).then(
            () => undefined,
            (error: unknown) => `${name}: ${String(error)}`,
          ),
        );
      }),
    );

    expect(pods.length).toBeGreaterThan(4);
    expect(refused.filter((words) => words !== undefined)).toEqual([]);
  });

  test('breaks only policy rules that have an exception with a reason', () => {
    const rules = manifests.flatMap(broken);
    for (const rule of rules) used.add(rule);
    const hasPolicies = manifests.some(({ kind }) => kind === 'NetworkPolicy');

    expect(rules.filter((rule) => !Object.hasOwn(exceptions, rule))).toEqual([]);
    expect(hasPolicies ? podsWithoutPolicy(manifests) : []).toEqual([]);
  });
});

test('each exception from the policy is used by some release', () => {
  expect(Object.keys(exceptions).filter((rule) => !used.has(rule))).toEqual([]);
});

const Names = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });
const Generation = z.object({ metadata: z.object({ generation: z.number() }) });
const SecretData = z.object({ data: z.record(z.string(), z.string()) });
const namesAt = async (path: string) => Names.parse(await read(path)).items.map(({ metadata }) => metadata.name);
const rbac = '/apis/rbac.authorization.k8s.io/v1';

// Helm sends some hundred requests to the API server per release.
describe('releases that are installed', { timeout: 180_000 }, () => {
  const releaseValues = merged(needed, bundled, { global: { trial: false } });
  const values = merged(releaseValues, { 'cluster-sync': { ownCluster: { name: 'own' } } });
  const install = (namespace: string) =>
    helm.helm(['install', 'berth', chart, '--namespace', namespace, '--create-namespace'], values);
  const upgradeRelease = (namespace: string) =>
    helm.helm(['upgrade', 'berth', chart, '--namespace', namespace, '--timeout', '60s'], values);
  const secret = async (namespace: string, name: string) =>
    SecretData.parse(await read(`/api/v1/namespaces/${namespace}/secrets/${name}`)).data;
  const made = ['berth-keys', 'berth-nats-passwords', 'berth-database'];
  const secretsOf = (namespace: string) => Promise.all(made.map((name) => secret(namespace, name)));

  test('do not affect each other if they have the same name in two namespaces', async () => {
    await install('one');
    await install('two');

    const [first, second] = [await secretsOf('one'), await secretsOf('two')];
    expect(first).not.toEqual(second);
    const before = await secretsOf('two');
    const clusterWide = async () =>
      [...(await namesAt(`${rbac}/clusterroles`)), ...(await namesAt(`${rbac}/clusterrolebindings`))].filter((name) =>
        name.includes('berth'),
      );
    expect((await clusterWide()).filter((name) => !/^(one|two)-berth-/.test(name))).toEqual([]);
    const ofTwo = (await clusterWide()).filter((name) => name.startsWith('two-'));

    await helm.helm(['uninstall', 'berth', '--namespace', 'one', '--wait']);

    expect(await clusterWide()).toEqual(ofTwo);
    expect(await secretsOf('two')).toEqual(before);
    expect(await namesAt('/apis/apps/v1/namespaces/two/deployments')).toHaveLength(6);
    expect(await namesAt('/apis/apps/v1/namespaces/one/deployments')).toEqual([]);
    // Keys and data volumes remain after a release is removed.
    expect(await namesAt('/api/v1/namespaces/one/secrets')).toEqual(expect.arrayContaining(made));

    await install('one');

    expect(await secretsOf('one')).toEqual(first);
  });

  test('keep their keys and passwords in an upgrade, which migrates before it replaces pods', async () => {
    await install('three');
    const before = await secretsOf('three');

    await upgradeRelease('three');

    expect(await secretsOf('three')).toEqual(before);
    const hooks = await helm.helm(['get', 'hooks', 'berth', '--namespace', 'three']);
    for (const name of ['auth', 'tasks', 'cluster-sync', 'registry-scan']) {
      expect(hooks).toContain(`name: berth-${name}-migrate`);
    }
    expect(hooks.match(/helm\.sh\/hook: pre-upgrade/g)).toHaveLength(5);
  });

  test('are never upgraded with new keys when their keys are gone', async () => {
    await install('four');
    await cluster.api.deleteJson('/api/v1/namespaces/four/secrets/berth-keys', {}, call());

    await expect(upgradeRelease('four')).rejects.toThrow(
      'global.keys.existingSecret: the Secret berth-keys of this release is gone',
    );
  });

  test('roll exactly what reads a password when it changes, and nothing in an upgrade that changes nothing', async () => {
    const places: readonly [string, string][] = [
      ['deployments', 'berth-auth'],
      ['deployments', 'berth-tasks'],
      ['statefulsets', 'berth-nats'],
      ['statefulsets', 'berth-postgresql'],
    ];
    const generations = () =>
      Promise.all(
        places.map(async ([plural, name]) =>
          Generation.parse(await read(`/apis/apps/v1/namespaces/three/${plural}/${name}`)),
        ),
      ).then((objects) => objects.map(({ metadata }) => metadata.generation));
    const [auth = 0, tasks = 0, nats = 0, postgresql = 0] = await generations();

    await upgradeRelease('three');
    expect(await generations()).toEqual([auth, tasks, nats, postgresql]);

    const data = { auth: Buffer.from('another-password').toString('base64') };
    await cluster.api.patchJson('/api/v1/namespaces/three/secrets/berth-nats-passwords', { data }, call());
    await upgradeRelease('three');

    expect(await generations()).toEqual([auth + 1, tasks, nats + 1, postgresql]);
  });

  test('keep their database when an operator of databases comes, and refuse another kind with the way to move', async () => {
    const to = (values: Values) =>
      helm.helm(['upgrade', 'berth', chart, '--namespace', 'three', '--timeout', '60s'], merged(releaseValues, values));
    const servers = () => namesAt('/apis/apps/v1/namespaces/three/statefulsets');
    const way = /kubectl --namespace three delete configmap\/berth-database-kind statefulset\/berth-postgresql,/;
    expect(await servers()).toContain('berth-postgresql');

    await expect(to(byOperator)).rejects.toThrow(/global\.postgresql\.bundledKind: .*kind pod/);
    await expect(to(byOperator)).rejects.toThrow(way);
    await expect(to({ global: { postgresql: urlsBrought } })).rejects.toThrow(
      /global\.postgresql\.bundled: .*kind pod/,
    );
    // As a tool that renders without a cluster would.
    const record = '/api/v1/namespaces/three/configmaps/berth-database-kind';
    await expect(cluster.api.patchJson(record, { data: { kind: 'external' } }, call())).rejects.toThrow(/immutable/);
    // Versions before this one recorded nothing.
    await cluster.api.deleteJson(record, {}, call());
    await expect(to(byOperator)).rejects.toThrow(/delete statefulset\/berth-postgresql,/);
    expect(await servers()).toContain('berth-postgresql');

    await cluster.api.deleteJson('/apis/apps/v1/namespaces/three/statefulsets/berth-postgresql', {}, call());
    await to(byOperator);

    expect(await namesAt('/apis/postgresql.cnpg.io/v1/namespaces/three/clusters')).toEqual(['berth-postgresql']);
    expect(await read(record)).toMatchObject({ data: { kind: 'cloudnative-pg' } });
  });

  test('of two namespaces read clusters from the Secrets of one namespace', async () => {
    const shared = merged(releaseValues, { 'cluster-sync': { clusterSecrets: { namespace: 'clusters' } } });
    for (const namespace of ['two', 'four']) {
      const upgraded = ['upgrade', '--install', 'berth-b', chart, '--namespace', namespace, '--create-namespace'];
      await helm.helm(upgraded, shared);
    }

    const roles = await namesAt(`${rbac}/namespaces/clusters/rolebindings`);
    expect(roles.filter((name) => name.includes('berth-b'))).toEqual([
      'four-berth-b-cluster-sync',
      'two-berth-b-cluster-sync',
    ]);
  });

  test('reuse the Secrets of a backup if nothing else is left', async () => {
    await install('five');
    const before = await secretsOf('five');
    const paths = made.map((name) => `/api/v1/namespaces/five/secrets/${name}`);
    const backup = await Promise.all(
      paths.map(async (path) => z.looseObject({ metadata: z.looseObject({}) }).parse(await read(path))),
    );
    await helm.helm(['uninstall', 'berth', '--namespace', 'five', '--wait']);
    for (const path of paths) await cluster.api.deleteJson(path, {}, call());

    for (const { metadata, ...secret } of backup) {
      const {
        uid: _uid,
        resourceVersion: _version,
        creationTimestamp: _created,
        managedFields: _fields,
        ...kept
      } = metadata;
      await create('/api/v1/namespaces/five/secrets', { ...secret, metadata: kept });
    }
    await install('five');

    expect(await secretsOf('five')).toEqual(before);
  });
});
