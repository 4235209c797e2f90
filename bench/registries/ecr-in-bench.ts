import { type MotoServer, startMoto } from '../../services/registry-scan/test/support/moto-server.ts';

const account = '123456789012';
const region = 'eu-west-1';

export interface EcrInBench extends AsyncDisposable {
  /** What the service needs to reach it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The settings of a registry whose charts come from elsewhere. */
  registry(pullUrl: string): object;
  /** Sends the event of a push. */
  pushed(repository: string, tag: string): Promise<void>;
}

/** A stand-in for the APIs of ECR and SQS. */
export async function startEcr(): Promise<EcrInBench> {
  const moto: MotoServer = await startMoto(AbortSignal.timeout(600_000));

  /** A request of the JSON protocol. The stand-in takes the region from the signature, which it does not check. */
  async function sqs(action: string, body: object): Promise<void> {
    const answer = await fetch(moto.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `AmazonSQS.${action}`,
        authorization: `AWS4-HMAC-SHA256 Credential=test/20261126/${region}/sqs/aws4_request, SignedHeaders=host, Signature=x`,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${action}: ${answer.status} ${await answer.text()}`);
  }
  const queue = (name: string) => `${moto.url}/${account}/${name}`;
  for (const QueueName of ['events', 'dead-letters']) await sqs('CreateQueue', { QueueName });

  return {
    environment: {
      AWS_ENDPOINT_URL: moto.url,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: region,
    },
    registry: (pullUrl) => ({
      type: 'ecr',
      url: `https://${account}.dkr.ecr.${region}.amazonaws.com`,
      pull_url: pullUrl,
      events_queue: queue('events'),
      dead_letter_queue: queue('dead-letters'),
    }),
    pushed: (repository, tag) =>
      sqs('SendMessage', {
        QueueUrl: queue('events'),
        MessageBody: JSON.stringify({
          'detail-type': 'ECR Image Action',
          source: 'aws.ecr',
          account,
          region,
          detail: { result: 'SUCCESS', 'action-type': 'PUSH', 'repository-name': repository, 'image-tag': tag },
        }),
      }),
    [Symbol.asyncDispose]: () => moto[Symbol.asyncDispose](),
  };
}
