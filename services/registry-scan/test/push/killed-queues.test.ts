import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '@berth/testing/test-database';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { type PgConnection, pgConnection } from '@berth/db/postgres/pg-connection';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { account, ecrInTest, region } from '../support/ecr-in-test.ts';
import { type Gate, type GatedRequest, startGate } from '../support/gate.ts';
import { web } from '../support/registry-in-test.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const migrations = new URL('../../migrations/', import.meta.url);
const soon = { interval: 50 };

/** Of a message that was received: four seconds instead of the minutes that the service asks for. */
function hideShortly({ action, body }: GatedRequest): Buffer {
  if (action !== 'AmazonSQS.ReceiveMessage') return body;
  return Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), VisibilityTimeout: 4 }));
}

describe('push events in a queue', () => {
  const { createQueue, environment, killAws, messagesIn, sqs, startAwsAgain, startEcr } = ecrInTest();
  const stack = new AsyncDisposableStack();
  let nats: TestNats;
  beforeAll(async () => {
    nats = stack.use(await startTestNats());
  });
  afterAll(() => stack.disposeAsync());

  let gate: Gate;
  let ecr: Awaited<ReturnType<typeof startEcr>>;
  let queues: { events: string; deadLetters: string };
  let db: PgConnection;
  let start: () => Promise<ServiceProcess>;
  let service: ServiceProcess;
  let ending: AsyncDisposableStack;
  beforeEach(async () => {
    ending = new AsyncDisposableStack();
    const { AWS_ENDPOINT_URL } = environment();
    gate = ending.use(await startGate(AWS_ENDPOINT_URL, hideShortly));
    queues = { events: await createQueue(), deadLetters: await createQueue() };
    const throughGate = (url: string) => url.replace(AWS_ENDPOINT_URL, gate.origin);
    ecr = await startEcr({
      events_queue: throughGate(queues.events),
      dead_letter_queue: throughGate(queues.deadLetters),
      poll_interval_seconds: 86_400,
    });
    const { url: databaseUrl } = ending.use(await createTestDatabase({ service: 'registry-scan', migrations }));
    db = ending.use(await pgConnection({ url: databaseUrl, applicationName: 'test' }));
    start = () =>
      startServiceProcess({
        nats,
        registries: [ecr.given],
        pushToken: 'a token of the registries',
        environment: { ...environment(), AWS_ENDPOINT_URL: gate.origin },
        databaseUrl,
      });
    service = await start();
    ending.defer(() => service[Symbol.asyncDispose]());
    while (!(await hasScanned())) await sleep(soon.interval);
  });
  afterEach(() => ending.disposeAsync());

  const hasScanned = async () =>
    (await db.query('select 1 from registry_polls where last_scan_at is not null')).length > 0;
  const charts = async () =>
    (await db.query('select image_tag as tag from helm_charts where available order by image_tag')).map(
      ({ tag }) => tag,
    );
  const lastError = async () => {
    const [row] = await db.query('select coalesce(last_error, queue_error) as error from registry_polls');
    return row?.['error'];
  };
  const sendPush = (tag: string, digest: string) =>
    send({
      'detail-type': 'ECR Image Action',
      source: 'aws.ecr',
      account,
      region,
      detail: {
        result: 'SUCCESS',
        'action-type': 'PUSH',
        'repository-name': ecr.repositoryName,
        'image-tag': tag,
        'image-digest': digest,
      },
    });
  const send = (event: object) =>
    sqs().send(new SendMessageCommand({ QueueUrl: queues.events, MessageBody: JSON.stringify(event) }));

  /** Kills the scanner, and starts the next one. No poll is due in it. */
  async function replaceScanner(): Promise<void> {
    await service.kill();
    gate.open();
    await service[Symbol.asyncDispose]();
    service = await start();
  }

  test.for([
    ['before it reads the chart', undefined],
    ['after the chart is recorded and before the message is removed', 'AmazonSQS.DeleteMessage'],
  ] as const)('are handled once by the next scanner if one is killed %s', async ([, heldAction]) => {
    const digest = await ecr.push('1.0.0', await web());
    const reading = Promise.withResolvers<void>();
    if (heldAction === undefined) ecr.answerWith(() => reading.resolve());
    const reached = heldAction ? gate.holdAt(({ action }) => action === heldAction) : reading.promise;
    await sendPush('1.0.0', digest);
    await reached;
    expect(await charts()).toEqual(heldAction === undefined ? [] : ['1.0.0']);

    await service.kill();
    ecr.answerWith(undefined);
    await replaceScanner();

    await expect.poll(() => messagesIn(queues.events), soon).toEqual([0, 0]);
    expect(await charts()).toEqual(['1.0.0']);
  });

  test('that cannot be understood become dead letters, of which none is lost if the scanner is killed meanwhile', async () => {
    const reached = gate.holdAt(({ action }) => action === 'AmazonSQS.DeleteMessage');
    await send({ source: 'elsewhere' });
    await reached;

    await replaceScanner();

    await expect.poll(() => messagesIn(queues.events), soon).toEqual([0, 0]);
    const [waiting = 0] = await messagesIn(queues.deadLetters);
    expect(waiting).toBeGreaterThanOrEqual(1);
  });

  test('that are lost with their queue are made up for by a poll, also if the scanner that saw the outage is killed', async () => {
    await killAws();
    await expect.poll(lastError, soon).toMatch(/^push events cannot be received: the queue .*: \w+/);
    await service.kill();
    await startAwsAgain();
    for (const url of Object.values(queues)) await createQueue(url.split('/').at(-1));
    await ecr.createRepository();
    await ecr.push('1.0.0', await web());

    await replaceScanner();
    await send({ source: 'a message ends the wait for one' });

    await expect.poll(charts, soon).toEqual(['1.0.0']);
    await expect.poll(lastError, soon).toBeNull();
  });

  test('are received again after an outage of their queue, which is shown meanwhile', async () => {
    await killAws();
    await expect.poll(lastError, soon).toMatch(/^push events cannot be received: the queue .*: \w+/);
    await startAwsAgain();
    for (const url of Object.values(queues)) await createQueue(url.split('/').at(-1));
    await ecr.createRepository();

    await sendPush('1.0.0', await ecr.push('1.0.0', await web()));

    await expect.poll(charts, soon).toEqual(['1.0.0']);
    await expect.poll(lastError, soon).toBeNull();
    await expect.poll(() => messagesIn(queues.events), soon).toEqual([0, 0]);
  });
});
