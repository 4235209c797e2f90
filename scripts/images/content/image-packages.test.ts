import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The packages that an image may contain: those of the workspace, and the external packages that they or the service depend on. */
const mayCarry = {
  'api-gateway': {
    workspace: ['bus', 'contracts', 'service'],
    outside: ['@fastify/static', 'fastify', 'ipaddr.js', 'swagger-ui-dist'],
  },
  auth: { workspace: ['bus', 'contracts', 'db', 'service'], outside: ['openid-client'] },
  tasks: { workspace: ['bus', 'chart-extensions', 'contracts', 'db', 'service'], outside: ['yaml'] },
  runner: {
    workspace: [
      'bus',
      'chart-archive',
      'chart-extensions',
      'contracts',
      'egress',
      'kube',
      'process-guard',
      'service',
      'untrusted-work',
    ],
    outside: ['re2js', 'tar-stream', 'undici', 'yaml'],
  },
  'cluster-sync': {
    workspace: ['bus', 'contracts', 'db', 'kube', 'process-guard', 'service', 'untrusted-work'],
    outside: [
      '@aws-sdk/client-account',
      '@aws-sdk/client-eks',
      '@smithy/core',
      '@smithy/signature-v4',
      'undici',
      'yaml',
    ],
  },
  'registry-scan': {
    workspace: [
      'bus',
      'chart-archive',
      'chart-extensions',
      'contracts',
      'db',
      'egress',
      'process-guard',
      'service',
      'untrusted-work',
    ],
    outside: ['@aws-sdk/client-ecr', '@aws-sdk/client-sqs', 're2js', 'tar-stream', 'yaml'],
  },
};

/** In every image, by way of the packages bus and service. */
const everywhere = [
  '@nats-io/jetstream',
  '@nats-io/obj',
  '@nats-io/transport-node',
  '@opentelemetry/api',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  'jose',
  'lru-cache',
  'pino',
  'prom-client',
  'proxy-from-env',
  'zod',
];
/** In the images of services with a database. */
const ofDatabases = ['pg', 'slonik'];

test.for(Object.entries(mayCarry))(
  'the image of %s contains only these packages',
  ([service, { workspace, outside }]) => {
    const carried = [...packagesOf(`services/${service}`)];
    const inside = carried.filter((name) => name.startsWith('@berth/')).map((name) => name.slice('@berth/'.length));
    const databases = workspace.includes('db') ? ofDatabases : [];

    expect(inside.toSorted()).toEqual(workspace);
    expect(carried.filter((name) => !name.startsWith('@berth/')).toSorted()).toEqual(
      [...everywhere, ...databases, ...outside].toSorted(),
    );
  },
);

test('the lockfile contains no package that sends data when it is installed', () => {
  expect(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')).not.toMatch(/^ {2}'?@scarf\/scarf@/m);
});

/** The dependencies of a workspace folder and those of its workspace packages. */
function packagesOf(folder: string, known = new Set<string>()): Set<string> {
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  );
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (known.has(name)) continue;
    known.add(name);
    if (name.startsWith('@berth/')) packagesOf(folderOf(name.slice('@berth/'.length)), known);
  }
  return known;
}

function folderOf(name: string): string {
  return existsSync(join(root, 'packages/shared', name)) ? `packages/shared/${name}` : `packages/${name}`;
}
