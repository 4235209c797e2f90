import { readdir, readFile } from 'node:fs/promises';
import { Budget } from '@berth/chart-extensions/budget/budget';
import { featuresOf } from '@berth/chart-extensions/files/features';
import { outputValues } from '@berth/chart-extensions/config/output-values';
import { readExtensions } from '@berth/chart-extensions/files/read-extensions';
import { validateConfig } from '@berth/chart-extensions/config/validate-config';
import { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import type { JsonObject } from '@berth/contracts/fields/json';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled, chart, type HelmInTest, merged, needed, podOf, startHelm } from './support/helm-in-test.ts';

let helm: HelmInTest;
let files: Map<string, string>;
beforeAll(async () => {
  helm = await startHelm();
  const names = (await readdir(`${chart}berth`)).map((name) => `berth/${name}`);
  files = new Map(await Promise.all(names.map(async (name) => [name, await readFile(chart + name, 'utf8')] as const)));
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

const secretId = '0d0f3c1e-5a0f-4f5e-9a53-0b9f1f6a3a01';
const evaluation: JsonObject = {
  own_url: 'https://berth.example.com',
  image_registry: 'registry.example.com/berth',
  makes_keys: true,
  ingress: false,
  issuer: 'https://id.example.com',
  client_id: secretId,
  client_secret: secretId,
  admin_emails: ['ada@example.com'],
  bundled: true,
  runners: 1,
};
const production: JsonObject = {
  ...evaluation,
  ingress: true,
  ingress_host: 'berth.example.com',
  trusted_proxies: ['10.0.0.0/8'],
  bundled: false,
  database_host: 'db.example.com',
  database_ssl_mode: 'require',
  database_roles: 'berth-database-admin',
  database_admin: secretId,
  nats_url: 'nats://nats.nats:4222',
};

test.for([
  ['for an evaluation', evaluation, ['oidc-config']],
  ['with external servers', production, ['oidc-config', 'berth-database-admin']],
] as const)('Berth can deploy this chart %s with its form', async ([, config, secretNames]) => {
  const { defects, values_ui } = readExtensions(files);
  expect(defects).toEqual([]);
  const form = ValuesUi.parse(values_ui);
  expect(validateConfig(form, config)).toEqual([]);

  const { values, secrets } = outputValues(form, { config, propertyOf: () => 'contents', budget: new Budget() });
  // Values that every chart gets in addition.
  const given = {
    nodeSelector: { pool: 'apps' },
    tolerations: [],
    ingress: { enabled: false, hosts: [], tls: [] },
    berth: {},
    platz: {},
  };
  const manifests = await helm.render({ ...given, ...values });

  expect(Object.keys(secrets).sort()).toEqual([...secretNames].sort());
  const mounted = JSON.stringify(manifests.map(podOf));
  for (const [name, keys] of Object.entries(secrets)) {
    expect(mounted).toContain(`"name":"${name}"`);
    for (const key of Object.keys(keys)) expect(mounted).toContain(`"key":"${key}"`);
  }
});

test('the chart in Berth places each part as the env says', async () => {
  const { node_selector_paths, tolerations_paths } = featuresOf(readExtensions(files).features);
  const parts = ['api-gateway', 'auth', 'tasks', 'cluster-sync', 'registry-scan', 'runner'];

  expect(node_selector_paths).toEqual(parts.map((part) => [part, 'nodeSelector']));
  expect(tolerations_paths).toEqual(parts.map((part) => [part, 'tolerations']));
  const placed = Object.fromEntries(parts.map((part) => [part, { nodeSelector: { pool: 'apps' } }]));
  const manifests = await helm.render(merged(needed, bundled, placed));
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  expect(deployments).toHaveLength(parts.length);
  for (const deployment of deployments) expect(podOf(deployment)).toMatchObject({ nodeSelector: { pool: 'apps' } });
});
