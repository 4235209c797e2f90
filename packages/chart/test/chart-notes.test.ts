import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  bundled,
  type HelmInTest,
  type Manifest,
  merged,
  needed,
  startHelm,
  type Values,
} from './support/helm-in-test.ts';

let helm: HelmInTest;
beforeAll(async () => {
  helm = await startHelm();
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

const evaluation = merged(needed, bundled);
const external: Values = {
  global: {
    postgresql: { host: 'db.example.com', sslMode: 'require', admin: { existingSecret: 'db-admin' } },
    nats: { url: 'nats://nats.nats:4222' },
  },
};
const everythingSet = merged(needed, {
  global: {
    keys: { existingSecret: 'keys' },
    postgresql: { existingSecret: 'database-urls' },
    nats: { url: 'nats://nats.nats:4222', existingSecret: 'nats-passwords' },
    ingress: { enabled: true, hosts: ['berth.example.com'] },
  },
  'api-gateway': { trustedProxies: ['10.0.0.0/8'] },
  auth: { adminEmails: ['ada@example.com', 'bob@example.com'] },
  'cluster-sync': { kubeconfig: { existingSecret: 'clusters' } },
  'registry-scan': { registries: [{ url: 'https://registry.example.com' }] },
});

/** The Secrets that pods mount or that the release creates. */
function secretsOf(manifests: Manifest[]): string[] {
  const mounted = [...JSON.stringify(manifests).matchAll(/"secretName":"([^"]+)"/g)].map(([, name]) => name ?? '');
  return [...mounted, ...manifests.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name)];
}

const ServicePorts = z.object({ spec: z.object({ ports: z.array(z.object({ port: z.number() })) }) });
const portsOf = (manifest: Manifest | undefined) =>
  ServicePorts.parse(manifest).spec.ports.map(({ port }) => port.toString());

test.for([
  ['with its own servers', evaluation],
  ['with external servers', merged(needed, external)],
  ['with TLS at the gateway', merged(evaluation, { 'api-gateway': { tls: { existingSecret: 'gateway-tls' } } })],
  ['with another port', merged(evaluation, { 'api-gateway': { service: { port: 9000 } } })],
] as const)(
  'the notes of a release %s name only Services, ports, labels and Secrets that exist',
  async ([, values]) => {
    const [notes, manifests] = await Promise.all([helm.notes(values), helm.render(values)]);

    const [, service = '', port = ''] = /port-forward service\/(\S+) 8080:(\d+)/.exec(notes) ?? [];
    expect(portsOf(manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service))).toContain(
      port,
    );

    const [, label = '', value = ''] = /wait deployment --selector (\S+)=(\S+) /.exec(notes) ?? [];
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(6);
    expect(deployments.filter(({ metadata }) => metadata.labels?.[label] !== value)).toEqual([]);

    const secrets = [...notes.matchAll(/Secret (ship\S+)/g)].map(([, name = '']) => name);
    expect(secretsOf(manifests)).toEqual(expect.arrayContaining(secrets));
    expect(secrets).toContain('ship-berth-keys');
    expect(notes.match(/--namespace \S+/g)).toEqual(Array(3).fill('--namespace ships'));
  },
);

test('the notes of an evaluation say step by step what is missing, and what data will be lost', async () => {
  const notes = await helm.notes(evaluation);

  expect(notes.match(/^\d\. \w+/gm)).toEqual(['1. Wait', '2. Register', '3. There', '4. There']);
  expect(notes).toContain('Register https://berth.example.com/auth/idp/callback at https://id.example.com');
  expect(notes).toContain('Nobody is a site admin yet: set auth.adminEmails');
  expect(notes).toContain('PostgreSQL of this release is for evaluation: it has no backups.');
  expect(notes).not.toContain('NATS needs the accounts of Berth');
});

test('steps of the notes are numbered without gaps even if only registries are missing', async () => {
  const notes = await helm.notes(merged(evaluation, { 'cluster-sync': { ownCluster: { name: 'own' } } }));

  expect(notes).toContain('3. There are no registries yet');
  expect(notes).not.toContain('no clusters');
});

test('the notes of a release on external NATS servers say where their accounts are', async () => {
  const notes = await helm.notes(merged(needed, external));

  expect(notes).toContain('include accounts.conf of the Secret ship-berth-nats-config');
  expect(notes).not.toContain('for evaluation');
});

test('the notes of a complete release name its address, how to wait for it, and how to sign in', async () => {
  const notes = await helm.notes(everythingSet);

  expect(notes).toContain('Site admins at their first sign-in: ada@example.com, bob@example.com.');
  expect(
    notes
      .trim()
      .split('\n')
      .filter((line) => line !== ''),
  ).toHaveLength(5);
});
