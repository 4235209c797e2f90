import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portOf } from '@berth/testing/network/port-of';
import { ECRClient } from '@aws-sdk/client-ecr';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { scanRegistry } from '../../src/scan/scan-registry.ts';
import { ecrInTest } from '../support/ecr-in-test.ts';
import { registryInTest, summary, web } from '../support/registry-in-test.ts';

const account = '210987654321';
const region = 'us-east-2';
const role = `arn:aws:iam::${account}:role/berth-registry-scan`;

describe('the default chain of credentials of AWS', () => {
  const { charts, registries, service } = registryInTest();
  const { environment, startEcr } = ecrInTest();

  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-aws-'));
    // Nothing but what the test gives: neither variables, nor files of this user, nor the metadata of a machine.
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'none'));
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'));
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  async function file(name: string, content: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  /** Temporary keys of the other account, as a container gets them. */
  async function keysOfRole() {
    const { AWS_ENDPOINT_URL } = environment();
    const answer = await fetch(AWS_ENDPOINT_URL, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `AWS4-HMAC-SHA256 Credential=test/20261126/${region}/sts/aws4_request, SignedHeaders=host, Signature=x`,
      },
      body: new URLSearchParams({
        Action: 'AssumeRole',
        Version: '2011-06-15',
        RoleArn: role,
        RoleSessionName: 'pod',
      }),
    });
    const xml = await answer.text();
    const field = (name: string) => new RegExp(`<${name}>(.*?)</${name}>`).exec(xml)?.[1] ?? '';
    return {
      AccessKeyId: field('AccessKeyId'),
      SecretAccessKey: field('SecretAccessKey'),
      Token: field('SessionToken'),
      Expiration: new Date(Date.now() + 3_600_000).toISOString(),
    };
  }

  async function startAgent(token: string): Promise<string> {
    const keys = await keysOfRole();
    const server = createServer(({ headers }, response) => {
      const isKnown = headers.authorization === token;
      response
        .writeHead(isKnown ? 200 : 403, { 'content-type': 'application/json' })
        .end(isKnown ? JSON.stringify(keys) : '{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const port = portOf(server);
    return `http://127.0.0.1:${port}/v1/credentials`;
  }

  const ways: [string, () => Promise<void>][] = [
    [
      'a profile that assumes a role',
      async () => {
        vi.stubEnv('AWS_PROFILE', 'berth');
        const profiles = `[profile berth]\nrole_arn = ${role}\nsource_profile = base\nregion = ${region}\n`;
        vi.stubEnv('AWS_CONFIG_FILE', await file('config', profiles));
        const keys = '[base]\naws_access_key_id = test\naws_secret_access_key = test\n';
        vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', await file('credentials', keys));
      },
    ],
    [
      'the token of a service account (IRSA)',
      async () => {
        vi.stubEnv('AWS_ROLE_ARN', role);
        vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', await file('token', 'header.claims.signature'));
      },
    ],
    [
      'the agent of pod identity',
      async () => {
        vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', await startAgent('a token of the pod'));
        vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE', await file('token', 'a token of the pod'));
      },
    ],
  ];

  test.for(ways)('reads %s, which reaches ECR of another account and region', async ([, prepare]) => {
    await prepare();
    const client = new ECRClient({ region });
    onTestFinished(() => client.destroy());
    const ecr = await startEcr({}, { account, region, caller: account, client });
    await ecr.push('1.0.0', await web());

    expect(await scanRegistry(service().scan, ecr.registry, AbortSignal.timeout(60_000))).toMatchObject({ failed: 0 });

    expect(summary(await charts())).toEqual(['1.0.0 true']);
    expect(await registries()).toMatchObject([{ domain_name: `${account}.dkr.ecr.${region}.amazonaws.com` }]);
  });

  test('without any says that access is denied, not that there is an outage', async () => {
    const { described } = await startEcr(
      {},
      { client: new ECRClient({ region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }) },
    );
    using client = described.connect({ readCredentials: async () => null, onRequest: () => undefined });

    await expect(client.repositories(undefined, AbortSignal.timeout(60_000))).rejects.toMatchObject({
      reason: 'denied',
      message: expect.stringContaining('CredentialsProviderError'),
    });
  });
});
