import type { ServerResponse } from 'node:http';
import {
  BatchDeleteImageCommand,
  CreateRepositoryCommand,
  DeleteRepositoryCommand,
  ECRClient,
  PutImageCommand,
} from '@aws-sdk/client-ecr';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { EcrSettings } from '../../src/providers/ecr/ecr-provider.ts';
import { configuredRegistry } from '../../src/scan/configured-registry.ts';
import { type MotoServer, startMoto } from './moto-server.ts';
import { startOciServer } from './oci-server.ts';

export const account = '123456789012';
export const region = 'eu-west-1';
const environment = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: region };
const installationMs = 10 * 60_000;

/** For a whole test file: the APIs of AWS. */
export function ecrInTest() {
  let moto: MotoServer;
  let ecr: ECRClient;
  let sqs: SQSClient;
  const before = { ...process.env };

  beforeAll(async () => {
    moto = await startMoto(AbortSignal.timeout(installationMs));
    Object.assign(process.env, environment, { AWS_ENDPOINT_URL: moto.url });
    ecr = new ECRClient({ region });
    sqs = new SQSClient({ region });
  }, installationMs);
  afterAll(async () => {
    ecr?.destroy();
    sqs?.destroy();
    for (const name of [...Object.keys(environment), 'AWS_ENDPOINT_URL']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    await moto?.[Symbol.asyncDispose]();
  });

  return {
    sqs: () => sqs,
    /** What a process needs to reach the APIs. */
    environment: () => ({ ...environment, AWS_ENDPOINT_URL: moto.url }),

    async createQueue(name = `queue-${crypto.randomUUID().slice(0, 8)}`): Promise<string> {
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
      return QueueUrl;
    },

    /** A repository of ECR, with a registry behind it that demands the token. */
    async startEcr(settings: Record<string, unknown> = {}) {
      const storage = await startOciServer();
      let instead: ((response: ServerResponse) => void) | undefined;
      storage.misbehave(({ headers }, response) => {
        const [, password] = Buffer.from((headers.authorization ?? '').slice(6), 'base64')
          .toString()
          .split(/:(.*)/s);
        if (password === `${account}-auth-token`) return instead ? instead(response) : false;
        return void response.writeHead(401, { 'www-authenticate': 'Basic realm="https://ecr/"' }).end();
      });
      const given = {
        type: 'ecr',
        url: `https://${account}.dkr.ecr.${region}.amazonaws.com`,
        pull_url: storage.origin,
        allow_http: true,
        ...settings,
      };
      const described = EcrSettings.parse(given);
      const { source, connect } = described;
      const statuses: (number | null)[] = [];
      const client = connect({
        readCredentials: async () => null,
        onRequest: (status) => void statuses.push(status),
      });
      const repositoryName = `charts/web-${crypto.randomUUID().slice(0, 8)}`;
      await ecr.send(new CreateRepositoryCommand({ repositoryName }));
      onTestFinished(async () => {
        client[Symbol.dispose]();
        await ecr.send(new DeleteRepositoryCommand({ repositoryName, force: true })).catch(() => undefined);
        await storage[Symbol.asyncDispose]();
      });
      return {
        given,
        described,
        storage,
        statuses,
        client,
        repositoryName,
        registry: configuredRegistry(source, client),
        /** Replaces the answers to requests that have the token. */
        answerWith(answer: ((response: ServerResponse) => void) | undefined): void {
          instead = answer;
        },
        /** Returns its digest. */
        async push(tag: string, archive: Buffer): Promise<string> {
          const { manifest, digest } = storage.push(repositoryName, tag, archive);
          // Unless it is given, moto computes a digest of the layers alone, which no registry has.
          await ecr.send(
            new PutImageCommand({ repositoryName, imageManifest: manifest, imageDigest: digest, imageTag: tag }),
          );
          return digest;
        },
        async untag(imageTag: string): Promise<void> {
          storage.untag(repositoryName, imageTag);
          await ecr.send(new BatchDeleteImageCommand({ repositoryName, imageIds: [{ imageTag }] }));
        },
      };
    },
  };
}
