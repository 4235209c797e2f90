import {
  BatchDeleteImageCommand,
  CreateRepositoryCommand,
  DeleteRepositoryCommand,
  ECRClient,
  PutImageCommand,
} from '@aws-sdk/client-ecr';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RegistryClient } from '../src/connection/registry-client.ts';
import { EcrSettings } from '../src/providers/ecr/ecr-provider.ts';
import { configuredRegistry } from '../src/scan/configured-registry.ts';
import { scanRegistry } from '../src/scan/scan-registry.ts';
import { type MotoServer, startMoto } from './support/moto-server.ts';
import { type OciServer, startOciServer } from './support/oci-server.ts';
import { scannedRegistry, summary, web } from './support/scanned-registry.ts';

const account = '123456789012';
const region = 'eu-west-1';
const environment = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: region };
const signal = () => AbortSignal.timeout(60_000);

describe('a registry of ECR', () => {
  const { charts, registries, service } = scannedRegistry();
  let moto: MotoServer;
  let ecr: ECRClient;
  const before = { ...process.env };

  beforeAll(async () => {
    moto = await startMoto(AbortSignal.timeout(10 * 60_000));
    Object.assign(process.env, environment, { AWS_ENDPOINT_URL: moto.url });
    ecr = new ECRClient({ region });
  }, 10 * 60_000);
  afterAll(async () => {
    ecr?.destroy();
    for (const name of [...Object.keys(environment), 'AWS_ENDPOINT_URL']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    await moto?.[Symbol.asyncDispose]();
  });

  /** The API of the stand-in, with a registry behind it that demands the token. */
  async function startEcr() {
    const storage: OciServer = await startOciServer();
    storage.misbehave(({ headers }, response) => {
      const [, password] = Buffer.from((headers.authorization ?? '').slice(6), 'base64')
        .toString()
        .split(/:(.*)/s);
      if (password === `${account}-auth-token`) return false;
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="https://ecr/"' }).end();
    });
    const { source, connect } = EcrSettings.parse({
      type: 'ecr',
      url: `https://${account}.dkr.ecr.${region}.amazonaws.com`,
      pull_url: storage.origin,
      allow_http: true,
    });
    const statuses: (number | null)[] = [];
    const client: RegistryClient = connect({
      readCredentials: async () => null,
      onRequest: (status) => void statuses.push(status),
    });
    const registry = configuredRegistry(source, client);
    const repositoryName = `charts/web-${crypto.randomUUID().slice(0, 8)}`;
    await ecr.send(new CreateRepositoryCommand({ repositoryName }));
    onTestFinished(async () => {
      client[Symbol.dispose]();
      await ecr.send(new DeleteRepositoryCommand({ repositoryName, force: true })).catch(() => undefined);
      await storage[Symbol.asyncDispose]();
    });
    return {
      storage,
      statuses,
      client,
      repositoryName,
      scan: () => scanRegistry(service().scan, registry, signal()),
      async push(tag: string, archive: Buffer) {
        const { manifest, digest } = storage.push(repositoryName, tag, archive);
        // Unless it is given, moto computes a digest of the layers alone, which no registry has.
        await ecr.send(
          new PutImageCommand({ repositoryName, imageManifest: manifest, imageDigest: digest, imageTag: tag }),
        );
      },
      untag: (imageTag: string) => ecr.send(new BatchDeleteImageCommand({ repositoryName, imageIds: [{ imageTag }] })),
    };
  }

  test('is listed by its API, and its charts are pulled with its token', async () => {
    const { push, repositoryName, scan } = await startEcr();
    await push('1.0.0', await web());
    await push('2.0.0', await web('2.0.0'));

    expect(await scan()).toMatchObject({ failed: 0 });

    expect(summary(await charts())).toEqual(['1.0.0 true', '2.0.0 true']);
    expect(await registries()).toMatchObject([
      {
        domain_name: `${account}.dkr.ecr.${region}.amazonaws.com`,
        repo_name: repositoryName,
        provider: 'Ecr',
      },
    ]);
  });

  test('costs a request for its repositories and one for each of them in an unchanged round', async () => {
    const { push, scan, statuses, storage } = await startEcr();
    await push('1.0.0', await web());
    await push('2.0.0', await web('2.0.0'));
    await scan();
    statuses.length = 0;
    const pulled = storage.requests.length;

    expect(await scan()).toMatchObject({ changed: 0 });

    expect(statuses).toEqual([200, 200]);
    expect(storage.requests).toHaveLength(pulled);
  });

  test('shows moved and deleted tags at the next poll', async () => {
    const { push, scan, untag } = await startEcr();
    await push('1.0.0', await web());
    await push('2.0.0', await web('2.0.0'));
    await scan();

    await push('1.0.0', await web('1.0.0', { 'README.md': 'moved' }));
    await untag('2.0.0');
    await scan();

    expect(summary(await charts()).toSorted()).toEqual(['1.0.0 false', '1.0.0 true', '2.0.0 false']);
  });

  test('has no tags where a repository is missing', async () => {
    const { client } = await startEcr();

    expect(await client.tags('charts/none', signal())).toBeNull();
  });

  test('uses one token for many requests', async () => {
    const { push, scan, statuses } = await startEcr();
    for (const tag of ['1.0.0', '2.0.0', '3.0.0']) await push(tag, await web(tag));

    await scan();

    // Repositories, tags and the token; each manifest and package, some of them refused before the token was known.
    const refused = statuses.filter((status) => status === 401).length;
    expect(statuses.filter((status) => status === 200)).toHaveLength(3 + 6);
    expect(refused).toBeLessThanOrEqual(3);
  });

  test('that does not answer is an outage, and changes nothing', async () => {
    const { client, push, scan } = await startEcr();
    await push('1.0.0', await web());
    await scan();
    const { AWS_ENDPOINT_URL } = process.env;
    process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:9';
    onTestFinished(() => {
      Object.assign(process.env, { AWS_ENDPOINT_URL });
    });
    const { connect } = EcrSettings.parse({
      type: 'ecr',
      url: `https://${account}.dkr.ecr.${region}.amazonaws.com`,
    });
    using unreachable = connect({ readCredentials: async () => null, onRequest: () => undefined });

    await expect(unreachable.repositories(undefined, signal())).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(unreachable.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await client.repositories(undefined, signal())).toHaveLength(1);
    expect(summary(await charts())).toEqual(['1.0.0 true']);
  });
});

test.for([
  ['a host of another service', { url: 'https://registry.example.com' }, /must be https:\/\/<account>/],
  ['a path', { url: `https://${account}.dkr.ecr.${region}.amazonaws.com/x` }, /must be https:\/\/<account>/],
  [
    'credentials of its own',
    { url: `https://${account}.dkr.ecr.${region}.amazonaws.com`, credentials_file: '/c' },
    /must be absent/,
  ],
] as const)('a registry of ECR is not configured with %s', ([, settings, words]) => {
  expect(() => EcrSettings.parse({ type: 'ecr', ...settings })).toThrow(words);
});
