import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toolsForTest } from '@berth/devstack/testing/with-servers';
import { type CallerName, callerNames } from '@berth/contracts/definition/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { generatedFiles } from '../src/generated-files.ts';
import { serviceSettings, settingsSchema } from '../src/values/service-settings.ts';
import {
  bundled,
  chart,
  type HelmInTest,
  merged,
  needed,
  podOf,
  root,
  startHelm,
  type Values,
} from './support/helm-in-test.ts';
import { natsText } from './support/nats-text.ts';

const run = promisify(execFile);

let helm: HelmInTest;
beforeAll(async () => {
  helm = await startHelm();
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

const usual = merged(needed, bundled);
const proxied: Values = { 'api-gateway': { trustedProxies: ['10.0.0.0/8'] } };
const inGlobal = (global: Values): Values => ({ global });

test('the generated files of the chart are current', async () => {
  for (const [path, text] of Object.entries(await generatedFiles(root))) {
    const there = await readFile(new URL(path, root), 'utf8').catch(() => 'missing');
    expect(there === text, `${path} is old: run npm run generate`).toBe(true);
  }
});

test('every value says what it is for, in values.yaml of the chart and in docs/values.md', async () => {
  const [values, page] = await Promise.all([
    helm.helm(['show', 'values', chart]),
    readFile(new URL('docs/values.md', root), 'utf8'),
  ]);

  const lines = values.split('\n');
  const isValue = (line: string) => /^ *[\w-]+: ./.test(line);
  expect(lines.filter(isValue).length).toBeGreaterThan(300);
  expect(lines.filter((line, index) => isValue(line) && !/^ *# -- \(.+\) \w/.test(lines[index - 1] ?? ''))).toEqual([]);
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.length).toBeGreaterThan(150);
  expect(rows.filter((row) => !/^\| `[^`]+` \| .+ \| `.+` \| .+ \|$/.test(row))).toEqual([]);
});

test("the chart passes Helm's strict linter, even with values for an evaluation", async () => {
  const files = ['--values', `${chart}values-evaluation.yaml`];

  await expect(helm.helm(['lint', '--strict', chart], needed)).resolves.toContain('0 chart(s) failed');
  await expect(helm.helm(['lint', '--strict', chart, ...files], needed)).resolves.toContain('0 chart(s) failed');
  await expect(helm.helm(['template', 'ship', chart, ...files], needed)).resolves.toContain('kind: StatefulSet');
});

describe('a value that cannot work is refused, and the error names it:', () => {
  const external = (postgresql: Values): Values => ({
    global: { postgresql: { bundled: false, ...postgresql } },
  });

  test.for<[string, Values]>([
    ['global.ownUrl', inGlobal({ ownUrl: '' })],
    ['global.ownUrl', inGlobal({ ownUrl: 'berth.example.com' })],
    [
      'ownUrlOverride',
      { ownUrlOverride: 'https://own.example.com', ...inGlobal({ ownUrl: 'https://berth.example.com' }) },
    ],
    ['global.ownUrl', inGlobal({ ownUrl: 'https://berth.example.com/?a=b' })],
    ['global.ingress.hosts', inGlobal({ ingress: { enabled: true } })],
    ['global.ingress.hosts.0', inGlobal({ ingress: { enabled: true, hosts: ['https://berth.example.com'] } })],
    ['global.httpRoute.parentRefs', inGlobal({ httpRoute: { enabled: true } })],
    [
      'global.httpRoute.enabled',
      { ...inGlobal({ httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } }), ...proxied },
    ],
    ['global.image.registry', inGlobal({ image: { registry: 'https://registry.example.com' } })],
    ['global.image.tag', inGlobal({ image: { tag: 'a tag' } })],
    ['global.image.pullPolicy', inGlobal({ image: { pullPolicy: 'Sometimes' } })],
    ['global.image.digests.auth', inGlobal({ image: { digests: { auth: 'latest' } } })],
    ['global.image.digests.server', inGlobal({ image: { digests: { server: `sha256:${'0'.repeat(64)}` } } })],
    ['global.postgresql.host', external({})],
    ['global.postgresql.host', inGlobal({ postgresql: { host: 'db.example.com' } })],
    ['global.postgresql.admin.existingSecret', external({ host: 'db.example.com' })],
    ['global.postgresql.ca.existingSecret', external({ host: 'db.example.com', admin: { existingSecret: 'admin' } })],
    ['global.postgresql.port', inGlobal({ postgresql: { port: 70_000 } })],
    ['global.postgresql.sslMode', inGlobal({ postgresql: { sslMode: 'prefer' } })],
    ['global.nats.url', inGlobal({ nats: { bundled: false } })],
    ['global.nats.url', inGlobal({ nats: { url: 'nats://nats:4222' } })],
    ['global.nats.url', inGlobal({ nats: { bundled: false, url: 'http://nats:4222' } })],
    ['global.nats.servers', inGlobal({ nats: { servers: 2 } })],
    ['global.nats.replicas', inGlobal({ nats: { replicas: 3 } })],
    ['global.keys.existingSecret', inGlobal({ keys: { existingSecret: 'Not A Name' } })],
    ['global.logLevel', inGlobal({ logLevel: 'verbose' })],
    ['global.ownUrl', inGlobal({ ownURL: 'https://berth.example.com' })],
    ['global.image', inGlobal({ image: { repository: 'registry.example.com' } })],
    ['global.image.registry', inGlobal({ image: { registry: '' } })],
    ['global.keys.existingSecret', inGlobal({ trial: false })],
    ['global.postgresql.bundledKind', inGlobal({ postgresql: { bundledKind: 'operator' } })],
    ['global.caBundle.existingConfigMap', inGlobal({ caBundle: { existingSecret: 'a', existingConfigMap: 'b' } })],
    ['global.certificate.issuerRef', inGlobal({ certificate: { enabled: true } })],
    ['global.nats.tls.issuerRef.name', inGlobal({ nats: { tls: { issuerRef: { kind: 'ClusterIssuer' } } } })],
    ['global.nats.tls', inGlobal({ nats: { bundled: false, url: 'tls://nats:4222', tls: { existingSecret: 'tls' } } })],
    ['global.metricsTls.issuerRef.name', inGlobal({ metricsTls: { issuerRef: { kind: 'ClusterIssuer' } } })],
    ['global.certificate.enabled', inGlobal({ certificate: { enabled: true, issuerRef: { name: 'ca' } } })],
    ['global.proxy.https', inGlobal({ proxy: { https: 'proxy:3128' } })],
    ['auth.extraEnv', { auth: { extraEnv: [{ name: 'DATABASE_URL', value: 'postgres://other' }] } }],
    ['auth.extraVolumes.0', { auth: { extraVolumes: [{ emptyDir: {} }] } }],
    ['auth.podSpec.nodeSelector', { auth: { podSpec: { nodeSelector: { pool: 'a' } } } }],
    ['auth', { auth: { strategies: {} } }],
    ['auth.oidc.issuer', { auth: { oidc: { issuer: '' } } }],
    ['auth.oidc.issuer', { auth: { oidc: { issuer: 'http://id.example.com' } } }],
    ['auth.oidc.existingSecret', { auth: { oidc: { existingSecret: '' } } }],
    ['auth.adminEmails.0', { auth: { adminEmails: ['ada'] } }],
    ['auth.replicas', { auth: { replicas: -1 } }],
    ['api-gateway.autoscaling.minReplicas', { 'api-gateway': { autoscaling: { enabled: true, minReplicas: 9 } } }],
    ['api-gateway.trustedProxies', { 'api-gateway': { trustedProxies: ['ingress'] } }],
    ['api-gateway.trustedProxies', { 'api-gateway': { trustedProxies: 'all' } }],
    ['api-gateway.trustedProxies', inGlobal({ ingress: { enabled: true, hosts: ['berth.example.com'] } })],
    [
      'api-gateway.trustedProxies',
      inGlobal({ httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['berth.example.com'] } }),
    ],
    ['api-gateway.service.port', { 'api-gateway': { service: { port: 70_000 } } }],
    ['api-gateway.tls.existingSecret', { 'api-gateway': { tls: { existingSecret: 'TLS' } } }],
    [
      'api-gateway.tls.clientCa.existingSecret',
      { 'api-gateway': { tls: { clientCa: { existingSecret: 'clients' } } } },
    ],
    ['tasks.settings', { tasks: { settings: { TASKS_PER_CLUSTERS: 5 } } }],
    ['tasks.settings.SERVICE_OWN_URL', { tasks: { settings: { SERVICE_OWN_URL: 'https://other.example.com' } } }],
    ['cluster-sync.clusterSecrets.namespace', { 'cluster-sync': { clusterSecrets: { namespace: 'ships' } } }],
    ['cluster-sync.kubeconfig.contexts', { 'cluster-sync': { kubeconfig: { contexts: ['prod'] } } }],
    ['cluster-sync.ownCluster.clusterScoped', { 'cluster-sync': { ownCluster: { clusterScoped: true } } }],
    ['cluster-sync.runnerAccount', { 'cluster-sync': { runnerAccount: 'berth-runner' } }],
    ['registry-scan.push.existingSecret', { 'registry-scan': { push: { enabled: true } } }],
    ['registry-scan.registries.0', { 'registry-scan': { registries: [{ repositories: ['charts/web'] }] } }],
    [
      'registry-scan.registries.0',
      { 'registry-scan': { registries: [{ url: 'https://r.example.com', password: 'x' }] } },
    ],
    ['runner.autoscaling.by', { runner: { autoscaling: { by: 'queue' } } }],
    ['runner.autoscaling.keda.prometheusAddress', { runner: { autoscaling: { enabled: true, by: 'keda' } } }],
    [
      'runner.autoscaling.by',
      { runner: { autoscaling: { enabled: true, by: 'keda', keda: { prometheusAddress: 'http://prometheus:9090' } } } },
    ],
    ['runner.concurrency', { runner: { concurrency: 0 } }],
    ['runner.data.medium', { runner: { data: { medium: 'Disk' } } }],
    ['monitoring.serviceMonitor.enabled', { monitoring: { serviceMonitor: { enabled: true } } }],
    ['monitoring.rules.enabled', { monitoring: { rules: { enabled: true } } }],
  ])('%s %j', async ([name, wrong]) => {
    const refusal = await helm.render(merged(usual, wrong)).then(
      () => 'accepted',
      (error: unknown) => String(error),
    );

    // Helm's schema errors write the path with slashes.
    const names = [`'/${name.replaceAll('.', '/')}'`, `${name}: `];
    expect(
      names.some((one) => refusal.includes(one)),
      refusal,
    ).toBe(true);
  });
});

test('ownUrlOverride is the address that each part gives itself, before that of the ingress; global.ownUrl may repeat it', async () => {
  const ingress = { ...proxied, ...inGlobal({ ingress: { enabled: true, hosts: ['ingress.example.com'] } }) };

  const rendered = await helm.render(merged(bundled, ingress, { ownUrlOverride: 'https://own.example.com/' }));
  const both = { ownUrlOverride: 'https://own.example.com/', ...inGlobal({ ownUrl: 'https://own.example.com' }) };
  const same = await helm.render(merged(bundled, both));
  const derived = await helm.render(merged(bundled, ingress));

  const urls = (manifests: typeof rendered) =>
    manifests.flatMap((manifest) => {
      const env = manifest.kind === 'Deployment' ? (podOf(manifest)?.containers[0]?.env ?? []) : [];
      return env.filter(({ name }) => name === 'SERVICE_OWN_URL').map(({ value }) => value);
    });
  expect(urls(rendered)).toEqual(Array(3).fill('https://own.example.com'));
  expect(urls(same)).toEqual(Array(3).fill('https://own.example.com'));
  expect(urls(derived)).toEqual(Array(3).fill('http://ingress.example.com'));
});

describe('proxies in front', () => {
  const ingress = inGlobal({ ingress: { enabled: true, hosts: ['berth.example.com'] } });
  const trusted = async (trustedProxies: unknown) => {
    const values = merged(usual, ingress, { 'api-gateway': { trustedProxies } });
    const rendered = JSON.stringify(await helm.render(values));
    return /"name":"TRUSTED_PROXIES","value":"([^"]*)"/.exec(rendered)?.[1] ?? '';
  };

  test('are required with an ingress, and the refusal says what to set', async () => {
    await expect(helm.render(merged(usual, ingress))).rejects.toThrow(/such as \[10\.0\.0\.0\/8\].*Set it to none if/s);
  });

  test('are passed to the gateway, which trusts none of them for "none"', async () => {
    expect(await trusted(['10.0.0.0/8', '192.0.2.7'])).toBe('10.0.0.0/8 192.0.2.7');
    expect(await trusted('none')).toBe('');
  });
});

describe('NATS', () => {
  const secretText = async (values: Values, name: string) => natsText(await helm.render(merged(usual, values)), name);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-nats-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.for<[string, Values, string, (text: string) => string]>([
    ['of the release', {}, 'nats.conf', (text) => text],
    ['of a release with three servers', inGlobal({ nats: { servers: 3, replicas: 3 } }), 'nats.conf', (text) => text],
    [
      'elsewhere, which includes the accounts,',
      inGlobal({ nats: { bundled: false, url: 'nats://nats:4222' } }),
      'accounts.conf',
      () => 'port: 4222\ninclude ./accounts.conf\n',
    ],
  ])('%s accepts its configuration with the passwords that the services get', async ([, values, name, mainOf]) => {
    const { 'nats-server': server } = await toolsForTest('nats-server');
    const text = await secretText(values, name);
    await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'main.conf'), mainOf(text));

    const { stderr } = await run(server, ['-t', '-c', join(folder, 'main.conf')], { timeout: 20_000 });

    expect(stderr).toContain('configuration file');
    expect(text).not.toContain('<password of');
    expect(text.match(/"user": "runner"/g)).toHaveLength(1);
  });
});

describe('settings', () => {
  /** Set by Kubernetes, or read by Node and libraries rather than by our configuration. */
  const notOurs = ['NODE_ENV', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  /** Every value that sets a setting of a process. */
  const all = merged(usual, {
    global: {
      postgresql: { bundled: false, existingSecret: 'urls' },
      nats: { bundled: false, url: 'tls://nats:4222', ca: { existingSecret: 'nats-ca' } },
      tracing: { endpoint: 'http://collector:4318' },
    },
    'api-gateway': { tls: { existingSecret: 'gateway-tls', clientCa: { existingSecret: 'clients' } } },
    auth: { oidc: { allowHttp: true }, otherKeys: { existingSecret: 'old' } },
    tasks: { otherKeys: { existingSecret: 'old' } },
    'cluster-sync': {
      kubeconfig: { existingSecret: 'clusters', contexts: ['prod'] },
      ownCluster: { name: 'own' },
      clusterSecrets: { namespace: 'clusters' },
      eks: { regions: ['all'] },
    },
    'registry-scan': {
      push: { enabled: true, existingSecret: 'push' },
      registries: [{ url: 'https://r.example.com' }],
    },
    runner: { calls: { allowAddresses: ['10.0.0.1'], nameServers: ['10.0.0.2'], ca: { existingSecret: 'call-ca' } } },
  });

  async function namesByProcess(values: Values): Promise<Map<CallerName, Set<string>>> {
    const manifests = await helm.render(values);
    const found = new Map<CallerName, Set<string>>();
    for (const manifest of manifests.filter(({ kind }) => kind === 'Deployment')) {
      for (const { name, env = [] } of podOf(manifest)?.containers ?? []) {
        const caller = callerNames.find((one) => one === name);
        if (caller) found.set(caller, new Set(env.map(({ name: setting }) => setting.replace(/_FILE$/, ''))));
      }
    }
    return found;
  }

  test.for(callerNames)('exist if the chart gives them to %s, and required ones are given', async (name) => {
    const settings = (await serviceSettings(root))[name];

    const everything = (await namesByProcess(all)).get(name) ?? new Set();
    const least = (await namesByProcess(usual)).get(name) ?? new Set();

    const known = new Set([...settings.names, ...notOurs]);
    expect([...everything].filter((setting) => !known.has(setting))).toEqual([]);
    expect(settings.required.filter((setting) => !least.has(setting))).toEqual([]);
  });

  const pem = '-----BEGIN CERTIFICATE-----';
  /** The contents of Secrets that operators provide. */
  const brought: Record<string, string> = {
    'ca.crt': pem,
    token: 'a-token-of-sixteen-characters',
    'client-id': 'berth',
    'client-secret': 'secret',
    serverUrl: 'https://id.example.com',
    clientId: 'berth',
    clientSecret: 'secret',
    ...Object.fromEntries(callerNames.map((name) => [name, randomBytes(32).toString('base64')])),
  };
  const Sources = z.array(
    z.object({
      secret: z.object({ name: z.string(), items: z.array(z.object({ key: z.string(), path: z.string() })) }),
    }),
  );
  const Volumes = z.array(
    z.looseObject({ name: z.string(), projected: z.looseObject({ sources: Sources }).optional() }),
  );
  const Data = z.record(z.string(), z.string()).default({});

  test.for<[string, Values]>([
    ['with servers of its own', merged(usual, { 'cluster-sync': { ownCluster: { name: 'own' } } })],
    ['with the Secret oidc-config and nothing else', merged(bundled, { ownUrlOverride: 'https://berth.example.com' })],
    ['with everything brought', all],
  ])('each process of a release %s accepts the settings that the chart gives it', async ([, values]) => {
    const manifests = await helm.render(values);
    const secrets = new Map(
      manifests.filter(({ kind }) => kind === 'Secret').map(({ metadata, data }) => [metadata.name, Data.parse(data)]),
    );
    const isUrls = (name: string) => name === 'urls';
    const contentOf = (name: string, key: string) => {
      const made = secrets.get(name)?.[key];
      if (made !== undefined) return Buffer.from(made, 'base64').toString();
      return isUrls(name) ? `postgres://${key}:secret@db.example.com/berth` : brought[key];
    };

    for (const name of callerNames) {
      const deployment = manifests.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === `ship-berth-${name}`,
      );
      const pod = deployment && podOf(deployment);
      const files = new Map(
        Volumes.parse(pod?.volumes)
          .flatMap(({ projected }) => projected?.sources ?? [])
          .flatMap(({ secret }) =>
            secret.items.map(({ key, path }) => [`/run/berth/${path}`, contentOf(secret.name, key)]),
          ),
      );
      const environment = Object.fromEntries(
        (pod?.containers[0]?.env ?? []).map(({ name: variable, value = '', valueFrom }) => {
          if (variable.endsWith('_FILE')) return [variable.slice(0, -5), files.get(value)];
          return [variable, valueFrom === undefined ? value : 'pod'];
        }),
      );
      const schema = await settingsSchema(root, name);

      const { error } = schema.safeParse({ ...environment, KUBERNETES_SERVICE_HOST: '10.0.0.1', HELM_BINARY: 'helm' });

      expect(error?.issues.map(({ path, message }) => `${name} ${path.join('.')}: ${message}`)).toBe(undefined);
    }
  });

  test('reach their process if they are additional ones, with large numbers unchanged', async () => {
    const manifests = await helm.render(
      merged(usual, { global: { nats: { stateBytes: 1_073_741_824 } }, tasks: { settings: { TASKS_IN_ALL: 250 } } }),
    );

    const tasks = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'ship-berth-tasks');
    const env = tasks && podOf(tasks)?.containers[0]?.env;
    expect(env).toContainEqual({ name: 'TASKS_IN_ALL', value: '250' });
    expect(env).toContainEqual({ name: 'NATS_STATE_BYTES', value: '1073741824' });
  });
});

describe('TLS at the gateway', () => {
  const Service = z.object({
    spec: z.object({ ports: z.tuple([z.object({ name: z.string(), port: z.number(), appProtocol: z.string() })]) }),
  });
  const Ingress = z.object({
    spec: z.object({
      rules: z.array(
        z.object({
          http: z.object({
            paths: z.array(
              z.object({ backend: z.object({ service: z.object({ port: z.object({ name: z.string() }) }) }) }),
            ),
          }),
        }),
      ),
    }),
  });
  const EnvOfPod = z.object({ env: z.array(z.object({ name: z.string(), value: z.string() })) });

  const release = async (gateway: Values) => {
    const ingress = { enabled: true, hosts: ['berth.example.com'] };
    const manifests = await helm.render(merged(usual, proxied, inGlobal({ ingress }), { 'api-gateway': gateway }));
    const named = (kind: string, name: string) =>
      manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === `ship-berth-${name}`);
    const pod = named('Deployment', 'api-gateway');
    const test = named('Pod', 'test');
    return {
      port: Service.parse(named('Service', 'api-gateway')).spec.ports[0],
      backends: Ingress.parse(named('Ingress', 'api-gateway')).spec.rules.map(
        ({ http }) => http.paths[0]?.backend.service.port.name,
      ),
      pod: pod && podOf(pod),
      test: test && EnvOfPod.parse(podOf(test)?.containers[0]).env,
    };
  };

  test('is off unless a Secret with a certificate is named: the Service offers HTTP on port 80', async () => {
    const { port, backends, pod, test: helmTest } = await release({});

    expect(port).toEqual({ name: 'http', port: 80, appProtocol: 'http' });
    expect(backends).toEqual(['http']);
    expect(pod?.containers[0]?.env?.map(({ name }) => name)).not.toContain('TLS_FOLDER');
    expect(helmTest).toEqual([{ name: 'BERTH_URL', value: 'http://ship-berth-api-gateway.ships.svc:80' }]);
  });

  test('is on if the Secret is named: the Service offers HTTPS on port 443, and probes stay on the plain health port', async () => {
    const { port, backends, pod, test: helmTest } = await release({ tls: { existingSecret: 'gateway-tls' } });

    expect(port).toEqual({ name: 'https', port: 443, appProtocol: 'https' });
    expect(backends).toEqual(['https']);
    expect(pod?.volumes).toContainEqual({ name: 'tls', secret: { secretName: 'gateway-tls', defaultMode: 0o440 } });
    const [container] = pod?.containers ?? [];
    expect(container?.env).toContainEqual({ name: 'TLS_FOLDER', value: '/run/berth-tls' });
    expect(container?.['volumeMounts']).toContainEqual({ name: 'tls', mountPath: '/run/berth-tls', readOnly: true });
    expect(container?.['readinessProbe']).toMatchObject({ httpGet: { path: '/readyz', port: 'metrics' } });
    expect(helmTest).toContainEqual({ name: 'BERTH_URL', value: 'https://ship-berth-api-gateway.ships.svc:443' });
    expect(helmTest).toContainEqual({ name: 'BERTH_OWN_URL', value: 'https://berth.example.com' });
  });

  test('keeps a port that the values set, and omits the Helm test if clients need a certificate', async () => {
    const { port, test: helmTest } = await release({
      service: { port: 8443 },
      tls: { existingSecret: 'gateway-tls', clientCa: { existingSecret: 'clients' } },
    });

    expect(port.port).toBe(8_443);
    expect(helmTest).toBe(undefined);
  });
});

describe('metrics', () => {
  const metricNames = (text: string): string[] => text.match(/\bberth_[a-z_]+/g) ?? [];
  const documented = async () => {
    const page = await readFile(new URL('docs/operators.md', root), 'utf8');
    return new Set(page.match(/`berth_[a-z_]+`/g)?.map((name) => name.slice(1, -1)));
  };
  /** Documents list a histogram only by its base name. */
  const base = (name: string) => name.replace(/_(bucket|count|sum)$/, '');

  test('are documented for operators if dashboards or alerts use them', async () => {
    const known = await documented();
    const folder = `${chart}files/dashboards/`;
    const dashboards = await Promise.all((await readdir(folder)).map((file) => readFile(folder + file, 'utf8')));
    const rules = await Promise.all(
      ['alerts.yaml', 'slos.yaml'].map((file) => readFile(`${chart}files/${file}`, 'utf8')),
    );
    const used = [...dashboards, ...rules].flatMap(metricNames);

    expect(used.length).toBeGreaterThan(40);
    expect([...new Set(used.map(base))].filter((name) => !known.has(name))).toEqual([]);
  });

  test('are documented for operators if autoscaling uses them', async () => {
    const known = await documented();
    const text = await readFile(`${chart}charts/runner/templates/workload.yaml`, 'utf8');

    expect(metricNames(text).length).toBeGreaterThan(1);
    expect(metricNames(text).filter((name) => !known.has(name))).toEqual([]);
  });

  test('an alert says what happened and to which part', async () => {
    const Alerts = z.object({
      groups: z.array(
        z.object({
          rules: z.array(
            z.object({ alert: z.string(), annotations: z.object({ summary: z.string(), description: z.string() }) }),
          ),
        }),
      ),
    });
    const { groups } = Alerts.parse(parse(await readFile(`${chart}files/alerts.yaml`, 'utf8')));

    const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => name.startsWith('Berth'))).toBe(true);
  });
});
