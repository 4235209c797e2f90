import { DeleteQueueCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { startTestNats } from '@berth/testing/test-nats';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EventQueue } from '../../src/connection/event-queue.ts';
import { createPollRepository } from '../../src/polling/poll-repository.ts';
import { followQueue } from '../../src/push/follow-queue.ts';
import { followQueues } from '../../src/push/follow-queues.ts';
import { account, ecrInTest, region } from '../support/ecr-in-test.ts';
import { registryInTest, summary, web } from '../support/registry-in-test.ts';
import { startServiceProcess } from '../support/service-process.ts';

const soon = { interval: 50 };

describe('the events of ECR, in a queue', () => {
  const { charts, registries, service } = registryInTest();
  const { createQueue, environment, messagesIn, sqs, startEcr } = ecrInTest();

  const event = (repository: string, detail: object, fields: object = {}) =>
    JSON.stringify({
      version: '0',
      'detail-type': 'ECR Image Action',
      source: 'aws.ecr',
      account,
      region,
      resources: [],
      detail: { result: 'SUCCESS', 'repository-name': repository, 'action-type': 'PUSH', ...detail },
      ...fields,
    });
  const send = (QueueUrl: string, MessageBody: string) => sqs().send(new SendMessageCommand({ QueueUrl, MessageBody }));
  async function deadLettersIn(QueueUrl: string) {
    const { Messages = [] } = await sqs().send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        VisibilityTimeout: 0,
      }),
    );
    return Messages.map(({ Body, MessageAttributes }) => [Body, MessageAttributes?.['reason']?.StringValue]);
  }

  async function startReporting() {
    const [events, deadLetters] = [await createQueue(), await createQueue()];
    const ecr = await startEcr({ events_queue: events, dead_letter_queue: deadLetters });
    const outcomes: string[] = [];

    /** A replica that follows the queue until it is stopped, or the test ends. */
    function follow(change: (queue: EventQueue) => Partial<EventQueue> = () => ({})) {
      const stop = new AbortController();
      const { events: described } = ecr.described;
      if (!described) throw new Error('no queue is configured');
      const queue = described.open(() => undefined);
      const ended = followQueue({
        scan: service().scan,
        name: 'events',
        queue: { ...queue, ...change(queue) },
        registries: new Map([[described.host, ecr.registry]]),
        pollRepository: createPollRepository(service().db),
        metrics: { handled: (_, outcome) => void outcomes.push(outcome) },
      })(stop.signal);
      const end = async () => {
        stop.abort();
        await ended;
        queue[Symbol.dispose]();
      };
      onTestFinished(end);
      return { end };
    }

    return {
      ...ecr,
      events,
      deadLetters,
      outcomes,
      follow,
      send: (body: string) => send(events, body),
      sendPush: (tag: string, digest: string) =>
        send(events, event(ecr.repositoryName, { 'image-tag': tag, 'image-digest': digest })),
    };
  }
  const shown = async () => summary(await charts()).toSorted();

  test('show a push and a deletion without a poll, and are removed', async () => {
    const { events, follow, push, repositoryName, send: sendEvent, sendPush, untag } = await startReporting();
    follow();

    await sendPush('1.0.0', await push('1.0.0', await web()));
    await expect.poll(shown, soon).toEqual(['1.0.0 true']);
    await untag('1.0.0');
    await sendEvent(event(repositoryName, { 'action-type': 'DELETE', 'image-tag': '1.0.0' }));

    await expect.poll(shown, soon).toEqual(['1.0.0 false']);
    await expect.poll(() => messagesIn(events), soon).toEqual([0, 0]);
  });

  test('show the chart that a pull-through cache has pulled, whose repository did not exist before', async () => {
    const { events, follow, push, repositoryName, send: sendEvent } = await startReporting();
    follow();

    const digest = await push('1.0.0', await web());
    const pulled = { 'sync-status': 'SUCCESS', 'repository-name': repositoryName, 'image-tag': '1.0.0' };
    await sendEvent(
      JSON.stringify({
        version: '0',
        id: '85fc3613-e913-7fc4-a80c-a3753e4aa9ae',
        'detail-type': 'ECR Pull Through Cache Action',
        source: 'aws.ecr',
        account,
        time: '2026-11-26T08:00:00Z',
        region,
        resources: [`arn:aws:ecr:${region}:${account}:repository/${repositoryName}`],
        detail: {
          'rule-version': '1',
          'ecr-repository-prefix': 'charts',
          'upstream-registry-url': 'public.ecr.aws',
          'image-digest': digest,
          ...pulled,
        },
      }),
    );

    await expect.poll(shown, soon).toEqual(['1.0.0 true']);
    await expect.poll(() => messagesIn(events), soon).toEqual([0, 0]);
  });

  test('are scanned once for many deletions in one repository', async () => {
    const { events, follow, outcomes, push, repositoryName, send: sendEvent, storage } = await startReporting();
    await push('1.0.0', await web());
    const deletion = event(repositoryName, { 'action-type': 'DELETE' });
    for (let count = 0; count < 5; count += 1) await sendEvent(deletion);

    follow();

    await expect.poll(() => messagesIn(events), soon).toEqual([0, 0]);
    await expect.poll(() => outcomes, soon).toEqual(['done', 'done', 'done', 'done', 'done']);
    const manifests = storage.requests.filter(({ line }) => line.endsWith('/manifests/1.0.0'));
    expect(manifests.length).toBeLessThanOrEqual(2);
  });

  test('stay in the queue if a replica ends before their effect is committed, and the next one handles them', async () => {
    const { answerWith, events, follow, push, sendPush } = await startReporting();
    const hide = (queue: EventQueue) => ({
      receive: (_: number, signal: AbortSignal) => queue.receive(2_000, signal),
    });
    const digest = await push('1.0.0', await web());
    const hanging = Promise.withResolvers<void>();
    answerWith(() => hanging.resolve());
    await sendPush('1.0.0', digest);
    const first = follow(hide);
    await hanging.promise;

    await first.end();
    expect(await shown()).toEqual([]);
    expect((await messagesIn(events)).reduce((sum, count) => sum + count)).toBe(1);
    answerWith(undefined);
    follow(hide);

    await expect.poll(shown, soon).toEqual(['1.0.0 true']);
    await expect.poll(() => messagesIn(events), soon).toEqual([0, 0]);
  });

  test('come back after the registry has failed', async () => {
    const { answerWith, events, follow, outcomes, push, sendPush } = await startReporting();
    const digest = await push('1.0.0', await web());
    answerWith((response) => void response.writeHead(403).end());
    follow((queue) => ({ postpone: (message, _, signal) => queue.postpone(message, 1_000, signal) }));
    await sendPush('1.0.0', digest);
    await expect.poll(() => outcomes, soon).toContain('later');

    answerWith(undefined);

    await expect.poll(shown, soon).toEqual(['1.0.0 true']);
    await expect.poll(() => messagesIn(events), soon).toEqual([0, 0]);
  });

  test('that cannot be handled become dead letters with the reason, and do not hold up others', async () => {
    const { deadLetters, events, follow, push, repositoryName, send: sendEvent, sendPush } = await startReporting();
    const foreign = event(repositoryName, { 'image-tag': '1.0.0' }, { account: '999999999999' });
    await sendEvent('not JSON');
    await sendEvent(foreign);
    await sendPush('1.0.0', await push('1.0.0', await web()));

    follow();

    await expect.poll(shown, soon).toEqual(['1.0.0 true']);
    await expect.poll(() => messagesIn(events), soon).toEqual([0, 0]);
    expect(new Set(await deadLettersIn(deadLetters))).toEqual(
      new Set([
        ['not JSON', 'it is not JSON'],
        [foreign, `no registry with this queue is configured: 999999999999 in ${region}`],
      ]),
    );
  });

  test('that fail at every receipt become dead letters', async () => {
    const { answerWith, deadLetters, events, follow, outcomes, push, sendPush } = await startReporting();
    const digest = await push('1.0.0', await web());
    answerWith((response) => void response.writeHead(403).end());
    await sendPush('1.0.0', digest);

    follow((queue) => ({ postpone: (message, _, signal) => queue.postpone(message, 0, signal) }));

    await expect.poll(() => outcomes, soon).toEqual(['later', 'later', 'later', 'later', 'buried']);
    await expect.poll(() => messagesIn(events), soon).toEqual([0, 0]);
    expect(await deadLettersIn(deadLetters)).toEqual([
      [expect.stringContaining(digest), expect.stringMatching(/^it failed 5 times: .* refuses access \(403\)$/)],
    ]);
  });

  test('are shared by two replicas: each tag is read once', async () => {
    const { events, follow, push, sendPush, storage } = await startReporting();
    const tags = Array.from({ length: 12 }, (_, patch) => `1.0.${patch}`);
    for (const tag of tags) await sendPush(tag, await push(tag, await web(tag)));

    follow();
    follow();

    await expect.poll(async () => (await shown()).length, soon).toBe(tags.length);
    await expect.poll(() => messagesIn(events), soon).toEqual([0, 0]);
    const blobs = storage.requests.filter(
      ({ line, authorization }) => line.includes('/blobs/') && authorization !== undefined,
    );
    expect(blobs).toHaveLength(tags.length);
  });

  test('of registries in several regions come by one queue, and each names its registry', async () => {
    const [events, deadLetters] = [await createQueue(), await createQueue()];
    const queues = { events_queue: events, dead_letter_queue: deadLetters };
    const here = await startEcr(queues);
    const there = await startEcr({ ...queues, url: `https://${account}.dkr.ecr.us-east-1.amazonaws.com` });
    const both = [here, there];
    await using opened = new AsyncDisposableStack();
    const loops = followQueues({
      scan: service().scan,
      configured: {
        described: both.map(({ described }) => described),
        scanned: new Map(both.map(({ registry }) => [registry.source.domain, registry])),
      },
      pollRepository: createPollRepository(service().db),
      metrics: { handled: () => undefined },
      onRequest: () => () => undefined,
      use: (queue) => opened.use(queue),
    });
    const stop = new AbortController();
    const ended = Promise.all(loops.map(([, loop]) => loop(stop.signal)));
    opened.defer(async () => {
      stop.abort();
      await ended;
    });
    here.storage.push(here.repositoryName, '1.0.0', await web());
    there.storage.push(there.repositoryName, '2.0.0', await web('2.0.0'));

    await send(events, event(here.repositoryName, { 'image-tag': '1.0.0' }));
    await send(events, event(there.repositoryName, { 'image-tag': '2.0.0' }, { region: 'us-east-1' }));

    expect(loops).toHaveLength(1);
    await expect.poll(shown, soon).toEqual(['1.0.0 true', '2.0.0 true']);
    expect(new Set((await registries()).map(({ domain_name }) => domain_name))).toEqual(
      new Set(both.map(({ registry }) => registry.source.domain)),
    );
  });

  test('make a poll due after an outage of the queue, as some may be lost', async () => {
    const { events, follow, registry, send: sendEvent } = await startReporting();
    const polls = createPollRepository(service().db);
    const startedAt = await service().scan.tagRepository.now();
    await polls.record(registry.key, { startedAt, afterMs: 3_600_000, failures: 0, isComplete: true, error: null });
    await sqs().send(new DeleteQueueCommand({ QueueUrl: events }));
    let failures = 0;
    follow((queue) => ({
      receive: (...wanted) =>
        queue.receive(...wanted).catch((error: unknown) => {
          failures += 1;
          throw error;
        }),
    }));
    await expect.poll(() => failures, soon).toBe(1);
    expect(await polls.failuresIfDue(registry.key)).toBeNull();

    await createQueue(events.split('/').at(-1));
    await sendEvent('a message ends the wait for one');

    await expect.poll(() => polls.failuresIfDue(registry.key), soon).toBe(0);
  });

  test('reach the service beside what exists at its first start', async () => {
    const { given, push, sendPush } = await startReporting();
    await push('1.0.0', await web());
    await using nats = await startTestNats();
    await using process = await startServiceProcess({
      nats,
      registries: [given],
      pushToken: 'a token of the registries',
      environment: environment(),
    });
    const found = () =>
      [...process.log().matchAll(/"tag":"([\d.]+)".*"chart found"/g)].map(([, tag = '']) => tag).toSorted();
    await expect.poll(found, soon).toEqual(['1.0.0']);

    await sendPush('2.0.0', await push('2.0.0', await web('2.0.0')));

    await expect.poll(found, soon).toEqual(['1.0.0', '2.0.0']);
    expect(await process.stop()).toBe(0);
  });
});
