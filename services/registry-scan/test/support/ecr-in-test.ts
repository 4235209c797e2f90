import type { ServerResponse } from 'node:http';
import {
  BatchDeleteImageCommand,
  CreateRepositoryCommand,
  type CreateRepositoryCommandInput,
  DeleteRepositoryCommand,
  ECRClient,
  PutImageCommand,
} from '@aws-sdk/client-ecr';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { digestOf } from '@berth/bus/objects/digest-of';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { EcrSettings } from '../../src/providers/ecr/ecr-provider.ts';
import { scannedRegistry } from '../../src/scan/scanned-registry.ts';
import { type MotoServer, startMoto } from './moto-server.ts';
import { chartManifest, startOciServer } from './oci-server.ts';

export const account = '123456789012';
export const region = 'eu-west-1';
const environment = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: region };
const installationMs = 10 * 60_000;
const counts = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;

interface Place {
  account?: string;
  region?: string;
  /** The account whose token the registry demands. */
  caller?: string;
  client?: ECRClient;
  /** Of the repository. */
  fields?: Partial<CreateRepositoryCommandInput>;
}

/** For a whole test file: the APIs of AWS. */
export function ecrInTest() {
  let moto: MotoServer;
  let usual: ECRClient;
  let sqs: SQSClient;
  const before = { ...process.env };

  beforeAll(async () => {
    moto = await startMoto(AbortSignal.timeout(installationMs));
    Object.assign(process.env, environment, { AWS_ENDPOINT_URL: moto.url });
    usual = new ECRClient({ region });
    sqs = new SQSClient({ region });
  }, installationMs);
  afterAll(async () => {
    usual?.destroy();
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

    /** Ends the APIs like a crash; with them all that they knew. */
    killAws: () => moto[Symbol.asyncDispose](),
    /** At the same address, empty. */
    async startAwsAgain(): Promise<void> {
      moto = await startMoto(AbortSignal.timeout(installationMs), Number(new URL(moto.url).port));
    },

    /** Those that wait, and those that were received and neither removed nor due. */
    async messagesIn(QueueUrl: string): Promise<number[]> {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...counts] }),
      );
      return counts.map((name) => Number(Attributes[name]));
    },

    async createQueue(name = `queue-${crypto.randomUUID().slice(0, 8)}`): Promise<string> {
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
      return QueueUrl;
    },

    /** A repository of ECR, with a registry behind it that demands the token. Another place is reached by its own client. */
    async startEcr(settings: Record<string, unknown> = {}, at: Place = {}) {
      const { account: owner = account, region: place = region, caller = account, client: ecr = usual, fields } = at;
      const storage = await startOciServer();
      let instead: ((response: ServerResponse) => void) | undefined;
      storage.misbehave(({ headers }, response) => {
        const [, password] = Buffer.from((headers.authorization ?? '').slice(6), 'base64')
          .toString()
          .split(/:(.*)/s);
        if (password === `${caller}-auth-token`) return instead ? instead(response) : false;
        return void response.writeHead(401, { 'www-authenticate': 'Basic realm="https://ecr/"' }).end();
      });
      const given = {
        type: 'ecr',
        url: `https://${owner}.dkr.ecr.${place}.amazonaws.com`,
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
      const createRepository = async () =>
        void (await ecr.send(new CreateRepositoryCommand({ registryId: owner, repositoryName, ...fields })));
      await createRepository();
      onTestFinished(async () => {
        client[Symbol.dispose]();
        await ecr
          .send(new DeleteRepositoryCommand({ registryId: owner, repositoryName, force: true }))
          .catch(() => undefined);
        await storage[Symbol.asyncDispose]();
      });
      return {
        given,
        described,
        storage,
        statuses,
        client,
        repositoryName,
        createRepository,
        registry: scannedRegistry(source, client),
        /** Replaces the answers to requests that have the token. */
        answerWith(answer: ((response: ServerResponse) => void) | undefined): void {
          instead = answer;
        },
        /** Returns its digest. */
        async push(tag: string, archive: Buffer): Promise<string> {
          const imageManifest = JSON.stringify(chartManifest(archive));
          const digest = digestOf(Buffer.from(imageManifest));
          // Unless it is given, moto computes a digest of the layers alone, which no registry has.
          await ecr.send(
            new PutImageCommand({
              registryId: owner,
              repositoryName,
              imageManifest,
              imageDigest: digest,
              imageTag: tag,
            }),
          );
          storage.push(repositoryName, tag, archive);
          return digest;
        },
        async untag(imageTag: string): Promise<void> {
          storage.untag(repositoryName, imageTag);
          await ecr.send(new BatchDeleteImageCommand({ registryId: owner, repositoryName, imageIds: [{ imageTag }] }));
        },
      };
    },
  };
}
