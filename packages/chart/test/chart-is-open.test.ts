import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
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

let helm: HelmInTest;
beforeAll(async () => {
  helm = await startHelm();
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

const usual = merged(needed, bundled);
const render = (values: Values, ...args: string[]) => helm.render(merged(usual, values), ...args);
const find = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find(({ kind: is, metadata }) => is === kind && metadata.name === name);
const Deployment = z.object({
  metadata: z.looseObject({}),
  spec: z.looseObject({ template: z.looseObject({ metadata: z.looseObject({}), spec: z.looseObject({}) }) }),
});
const auth = (manifests: readonly Manifest[]) => Deployment.parse(find(manifests, 'Deployment', 'ship-berth-auth'));

test('additions of operators to a part are in its pod, beside those of the chart', async () => {
  const manifests = await render({
    auth: {
      annotations: { a: 'b' },
      podAnnotations: { c: 'd' },
      podLabels: { e: 'f' },
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/berth' } },
      strategy: { type: 'Recreate' },
      revisionHistoryLimit: 1,
      priorityClassName: 'important',
      probes: { startup: { failureThreshold: 300 } },
      podSecurityContext: { runAsUser: 1000, runAsGroup: null },
      containerSecurityContext: { runAsNonRoot: true },
      extraEnv: [{ name: 'A', value: '1' }],
      extraEnvFrom: [{ configMapRef: { name: 'more' } }],
      extraVolumes: [{ name: 'more', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
      extraInitContainers: [{ name: 'first', image: 'first:1' }],
      extraContainers: [{ name: 'beside', image: 'beside:1' }],
      podSpec: { dnsPolicy: 'None' },
    },
  });

  const { metadata, spec } = auth(manifests);
  expect(metadata).toMatchObject({ annotations: { a: 'b' } });
  expect(spec).toMatchObject({ strategy: { type: 'Recreate' }, revisionHistoryLimit: 1 });
  expect(spec.template.metadata).toMatchObject({ annotations: { c: 'd' }, labels: { e: 'f' } });
  const pod = spec.template.spec;
  expect(pod).toMatchObject({
    priorityClassName: 'important',
    dnsPolicy: 'None',
    securityContext: { runAsUser: 1000, runAsNonRoot: true },
    initContainers: [{ name: 'wait-for-database' }, { name: 'first' }],
    containers: [
      {
        name: 'auth',
        env: expect.arrayContaining([{ name: 'A', value: '1' }]),
        envFrom: [{ configMapRef: { name: 'more' } }],
        startupProbe: { failureThreshold: 300, httpGet: { path: '/healthz' } },
        securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true },
        volumeMounts: expect.arrayContaining([{ name: 'more', mountPath: '/more' }]),
      },
      { name: 'beside' },
    ],
    volumes: expect.arrayContaining([{ name: 'more', emptyDir: {} }]),
  });
  expect(pod['securityContext']).not.toHaveProperty('runAsGroup');
  expect(find(manifests, 'ServiceAccount', 'ship-berth-auth')?.metadata.annotations).toHaveProperty([
    'eks.amazonaws.com/role-arn',
  ]);
});

test('the cluster chooses the users of all pods if the values say so', async () => {
  const [usually, any] = [await render({}), await render({ global: { runAsAnyUser: true } })];

  expect(JSON.stringify(usually.map(podOf))).toContain('"runAsUser"');
  expect(JSON.stringify(any.map(podOf))).not.toMatch(/"(runAsUser|runAsGroup|fsGroup)"/);
});

test('placement of the release is that of every pod, also of Jobs and of the bundled servers; a part may have its own', async () => {
  const tolerations = [{ key: 'berth', operator: 'Exists' }];
  const placed = {
    global: { nodeSelector: { pool: 'berth' }, tolerations },
    tasks: { nodeSelector: { pool: 'tasks' } },
  };

  const manifests = await render(placed, '--is-upgrade');

  const pods = manifests.flatMap((manifest) => {
    const pod = podOf(manifest);
    return pod ? [{ name: `${manifest.kind} ${manifest.metadata.name}`, pod }] : [];
  });
  expect(pods.filter(({ name }) => name.startsWith('Job'))).toHaveLength(5);
  for (const { name, pod } of pods) {
    const pool = /-tasks(-|$)/.test(name) ? 'tasks' : 'berth';
    expect({ name, ...pod }).toMatchObject({ nodeSelector: { pool }, tolerations });
  }
});

test('each process trusts a bundle of authorities and goes out through a proxy, which its network policy allows', async () => {
  const manifests = await render({
    global: {
      caBundle: { existingConfigMap: 'authorities', key: 'bundle.pem' },
      proxy: { https: 'http://proxy.example.com:3128', noProxy: ['10.96.0.1'] },
      nats: { bundled: false, url: 'tls://one.example.com:4222,tls://two.example.com' },
    },
  });

  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  expect(deployments).toHaveLength(6);
  for (const deployment of deployments) {
    const pod = podOf(deployment);
    const env = Object.fromEntries(pod?.containers[0]?.env?.map(({ name, value }) => [name, value]) ?? []);
    expect(env).toMatchObject({
      NODE_EXTRA_CA_CERTS: '/run/berth-ca/ca.crt',
      HTTPS_PROXY: 'http://proxy.example.com:3128',
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY:
        'localhost,127.0.0.1,::1,.svc,.cluster.local,169.254.169.254,169.254.170.2,169.254.170.23,one.example.com,two.example.com,10.96.0.1',
    });
    expect(pod?.containers[0]?.['volumeMounts']).toContainEqual({
      name: 'ca-bundle',
      mountPath: '/run/berth-ca',
      readOnly: true,
    });
    expect(pod?.volumes).toContainEqual({
      name: 'ca-bundle',
      configMap: { name: 'authorities', items: [{ key: 'bundle.pem', path: 'ca.crt' }] },
    });
    const policy = find(manifests, 'NetworkPolicy', deployment.metadata.name);
    expect(JSON.stringify(policy)).toContain('{"ports":[{"port":3128,"protocol":"TCP"}]}');
  }
});

test('Jobs trust the bundle and go out through the proxy as services do', async () => {
  const caBundle = { existingConfigMap: 'authorities', key: 'bundle.pem' };

  const manifests = await render(
    { global: { caBundle, proxy: { https: 'http://proxy.example.com:3128' } } },
    '--is-upgrade',
  );

  const jobs = manifests.filter(({ kind }) => kind === 'Job');
  expect(jobs).toHaveLength(5);
  for (const job of jobs) {
    expect(podOf(job)).toMatchObject({
      containers: [
        {
          env: expect.arrayContaining([
            { name: 'NODE_EXTRA_CA_CERTS', value: '/run/berth-ca/ca.crt' },
            { name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' },
          ]),
          volumeMounts: expect.arrayContaining([{ name: 'ca-bundle', mountPath: '/run/berth-ca', readOnly: true }]),
        },
      ],
      volumes: expect.arrayContaining([
        { name: 'ca-bundle', configMap: { name: 'authorities', items: [{ key: 'bundle.pem', path: 'ca.crt' }] } },
      ]),
    });
  }
});

test('with a certificate of metrics, Prometheus and probes read them by TLS', async () => {
  const values = {
    global: { metricsTls: { issuerRef: { name: 'private' } } },
    monitoring: { serviceMonitor: { enabled: true } },
  };

  const manifests = await render(values, '--api-versions', 'monitoring.coreos.com/v1');

  const serverName = 'ship-berth-metrics.ships.svc';
  const secretName = 'ship-berth-metrics-tls';
  expect(find(manifests, 'Certificate', 'ship-berth-metrics')).toMatchObject({
    spec: { secretName, issuerRef: { name: 'private' }, dnsNames: [serverName] },
  });
  expect(find(manifests, 'ServiceMonitor', 'ship-berth')).toMatchObject({
    spec: { endpoints: [{ scheme: 'https', tlsConfig: { serverName, ca: { secret: { name: secretName } } } }] },
  });
  for (const deployment of manifests.filter(({ kind }) => kind === 'Deployment')) {
    const scheme = { httpGet: { scheme: 'HTTPS', port: 'metrics' } };
    expect(podOf(deployment)).toMatchObject({
      containers: [
        {
          env: expect.arrayContaining([{ name: 'HEALTH_TLS_FOLDER', value: '/run/berth-metrics-tls' }]),
          startupProbe: scheme,
          livenessProbe: scheme,
          readinessProbe: scheme,
        },
      ],
      volumes: expect.arrayContaining([
        expect.objectContaining({ name: 'metrics-tls', secret: expect.objectContaining({ secretName }) }),
      ]),
    });
  }
});

test('a proxy with a password is read from a Secret, so that no Deployment shows it', async () => {
  const proxy = { https: 'http://proxy.example.com:3128', existingSecret: 'proxy' };
  const manifests = await render({ global: { proxy } });

  for (const deployment of manifests.filter(({ kind }) => kind === 'Deployment')) {
    const env = podOf(deployment)?.containers[0]?.env ?? [];
    expect(env.filter(({ name }) => /PROXY/.test(name))).toEqual([
      { name: 'HTTPS_PROXY', valueFrom: { secretKeyRef: { name: 'proxy', key: 'https' } } },
      { name: 'NODE_USE_ENV_PROXY', value: '1' },
      { name: 'NO_PROXY', value: expect.stringContaining('169.254.169.254') },
    ]);
    const policy = find(manifests, 'NetworkPolicy', deployment.metadata.name);
    expect(JSON.stringify(policy)).toContain('{"ports":[{"port":3128,"protocol":"TCP"}]}');
  }
  const jobs = (await render({ global: { proxy } }, '--is-upgrade')).filter(({ kind }) => kind === 'Job');
  expect(jobs).toHaveLength(5);
  for (const job of jobs) {
    expect(podOf(job)?.containers[0]?.env).toContainEqual({
      name: 'HTTPS_PROXY',
      valueFrom: { secretKeyRef: { name: 'proxy', key: 'https' } },
    });
  }
  await expect(render({ global: { proxy: { existingSecret: 'proxy' } } })).rejects.toThrow(
    'network policies need its port',
  );
});

test('network policies open the ports that the URLs name', async () => {
  const manifests = await render({
    global: { tracing: { endpoint: 'http://collector:14318' } },
    auth: { oidc: { issuer: 'https://id.example.com:8443/realms/berth' } },
    'registry-scan': {
      registries: [{ url: 'https://registry.example.com:5000' }, { url: 'http://charts.example.com' }],
    },
  });

  const portsOf = (part: string) =>
    [...JSON.stringify(find(manifests, 'NetworkPolicy', `ship-berth-${part}`)).matchAll(/"port":(\d+)/g)].map(
      ([, port]) => Number(port),
    );
  expect(portsOf('auth')).toEqual(expect.arrayContaining([8443, 14_318]));
  expect(portsOf('auth')).not.toContain(443);
  expect(portsOf('registry-scan')).toEqual(expect.arrayContaining([5000, 80, 443]));
});

test('names, labels and further objects are those of the operator', async () => {
  const labels = { 'example.com/cost-centre': '7' };
  const extraObjects = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'more' }, data: { url: '{{ .Values.global.ownUrl }}' } },
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "{{ .Release.Name }}-text" }\n',
  ];

  const manifests = await render({
    global: { fullnameOverride: 'harbour', nameOverride: 'quay', labels },
    extraObjects,
  });

  const own = manifests.filter(({ metadata }) => metadata.name.startsWith('harbour-'));
  expect(own).toHaveLength(manifests.length - 2);
  for (const { metadata } of own)
    expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/name': 'quay', ...labels });
  expect(find(manifests, 'ConfigMap', 'more')).toMatchObject({ data: { url: 'https://berth.example.com' } });
  expect(find(manifests, 'ConfigMap', 'ship-text')).toBeDefined();
});

test.for(['keda', 'external', 'cpu'])('runners that are scaled by %s end one at a time', async (by) => {
  const keda = { prometheusAddress: 'http://prometheus:9090' };
  const autoscaling = { enabled: true, by, keda };

  const manifests = await render({ runner: { autoscaling } }, '--api-versions', 'keda.sh/v1alpha1');

  const scaleDown = { stabilizationWindowSeconds: 300, policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] };
  const scaler = manifests.find(({ kind }) => kind === (by === 'keda' ? 'ScaledObject' : 'HorizontalPodAutoscaler'));
  expect(scaler?.['spec']).toMatchObject(
    by === 'keda'
      ? { advanced: { horizontalPodAutoscalerConfig: { behavior: { scaleDown } } } }
      : { behavior: { scaleDown } },
  );
});

test('the version that pods say is that of their image', async () => {
  const [chartVersion, tagged] = [await render({}), await render({ global: { image: { tag: '7.1.0' } } })];

  const says = (manifests: Manifest[]) => {
    const gateway = find(manifests, 'Deployment', 'ship-berth-api-gateway');
    const container = gateway && podOf(gateway)?.containers[0];
    const version = container?.env?.find(({ name }) => name === 'SERVICE_VERSION')?.value;
    return [container?.['image'], version, gateway?.metadata.labels?.['app.kubernetes.io/version']];
  };
  const image = 'registry.example.com/berth/berth-api-gateway';
  expect(says(chartVersion)).toEqual([`${image}:0.1.0`, '0.1.0', '0.1.0']);
  expect(says(tagged)).toEqual([`${image}:7.1.0`, '7.1.0', '7.1.0']);
});

test('a chart that has this one as a part passes its own global values', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-parent-'));
  try {
    await mkdir(join(folder, 'charts'));
    await symlink(chart, join(folder, 'charts/berth'));
    await writeFile(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: platform\nversion: 1.0.0\n');
    const values = merged(
      { berth: { auth: usual['auth'] } },
      { global: usual['global'] },
      {
        global: { environment: 'production', sharedDatabase: { host: 'db' } },
      },
    );

    const manifests = manifestsOf(await helm.helm(['template', 'ship', folder, '-n', 'ships'], values));

    expect(manifests.filter(({ kind }) => kind === 'Deployment')).toHaveLength(6);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
