import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallerName, callerNames } from '@berth/contracts/definition/contract';
import { resources } from '@berth/contracts/resources/index';
import { boatHandlers, boats } from '@berth/testing/boats';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { implement } from '../rpc/implement.ts';
import { callSubject } from '../protocol/subjects.ts';
import { callersOf, natsPermissions } from './permissions.ts';

describe('permissions made from the contracts', () => {
  const permissions = natsPermissions(resources);
  const operations = resources.flatMap((resource) => Object.values(resource.operations));

  test.for(callerNames)('let %s call only what contracts allow it', (caller) => {
    const allowed = new Set(permissions[caller].publish.allow.filter((subject) => subject.startsWith('rpc.')));
    const given = operations.filter((operation) => callersOf(operation).includes(caller));

    expect([...allowed].sort()).toEqual(given.map((operation) => callSubject(operation, caller)).sort());
  });

  test.for(callerNames)('give %s neither wildcard subjects nor stream management', (caller) => {
    const { publish, subscribe } = permissions[caller];

    expect(subscribe.allow).not.toContain('>');
    expect(publish.allow).not.toContain('>');
    for (const subject of publish.allow) {
      expect(subject).not.toMatch(/^\$JS\.API\.(>|STREAM\.(DELETE|>|\*))/);
    }
    const inboxes = subscribe.allow.filter((subject) => subject.startsWith('_INBOX'));
    expect(inboxes).toEqual([`_INBOX_${caller}.>`]);
  });
});

describe('the NATS server', () => {
  let nats: TestNats;
  const open: NatsConnection[] = [];

  beforeAll(async () => {
    nats = await startTestNats({ resources: [boats] });
  });

  afterAll(async () => {
    await Promise.all(open.map((connection) => connection.close()));
    await nats?.[Symbol.asyncDispose]();
  });

  /** The server's answer when a client of the test's own uses the account of a service. */
  async function refusal(user: CallerName, act: (nc: NatsConnection) => void): Promise<string[]> {
    const nc = await connect({ servers: nats.url, user, pass: nats.password, reconnect: false });
    open.push(nc);
    const refused: string[] = [];
    void (async () => {
      for await (const status of nc.status()) {
        if (status.type === 'error' && status.error instanceof PermissionViolationError) {
          refused.push(`${status.error.operation} ${status.error.subject}`);
        }
      }
    })();
    act(nc);
    await nc.flush();
    await nc.flush();
    await new Promise((resolve) => setImmediate(resolve));
    return refused;
  }

  test.for<[CallerName, string]>([
    ['cluster-sync', 'rpc.v1.auth.cluster-sync.boats.echo'],
    ['tasks', 'rpc.v1.auth.tasks.boats.list'],
    ['tasks', 'rpc.v1.auth.api-gateway.boats.list'],
    ['tasks', 'state_v1.auth.boats.1'],
    ['tasks', 'event.v1.auth.boats.1'],
    ['tasks', '$JS.API.STREAM.CREATE.STATE_auth'],
    ['tasks', 'digest.v1.auth.boats'],
    ['tasks', '_INBOX_runner.cluster-sync.x.1'],
    ['tasks', '_INBOX_api-gateway.auth.x.1'],
    ['tasks', '_INBOX.x.1'],
    ['tasks', 'hint.v1.task_log.1.2'],
    ['runner', 'republish.v1.auth.tasks.boats'],
    ['auth', '_INBOX_cluster-sync.auth.x.1'],
    ['auth', '$JS.API.STREAM.DELETE.STATE_auth'],
    ['auth', '$JS.API.STREAM.PURGE.STATE_auth'],
    ['tasks', '$JS.API.CONSUMER.CREATE.STATE_auth.tasks-boats.state_v1.>'],
    ['tasks', '$JS.API.CONSUMER.DELETE.STATE_auth.auth-boats'],
  ])('refuses %s to send to %s', async ([user, subject]) => {
    expect(await refusal(user, (nc) => nc.publish(subject))).toEqual([`publish ${subject}`]);
  });

  test.for<[CallerName, string]>([
    ['tasks', '_INBOX_api-gateway.>'],
    ['tasks', '_INBOX.>'],
    ['tasks', 'rpc.v1.auth.>'],
    ['tasks', '>'],
    ['auth', 'rpc.v1.tasks.>'],
    ['cluster-sync', 'digest.v1.auth.boats'],
    ['api-gateway', 'state_v1.>'],
  ])('refuses %s to listen to %s', async ([user, subject]) => {
    expect(await refusal(user, (nc) => nc.subscribe(subject))).toEqual([`subscription ${subject}`]);
  });

  test('denies an owner a subscription to its requests outside of its queue group', async () => {
    const subject = 'rpc.v1.auth.*.boats.echo';

    expect(await refusal('auth', (nc) => nc.subscribe(subject))).toEqual([`subscription ${subject}`]);
    expect(await refusal('auth', (nc) => nc.subscribe(subject, { queue: 'auth' }))).toEqual([]);
  });

  test('a service that serves an operation of another one fails', async () => {
    const bus = await connectTestBus(nats, 'tasks');

    bus.serve(implement(boats, boatHandlers({ aborts: 0 })));

    await expect.poll(() => bus.failure.aborted).toBe(true);
    expect(String(bus.failure.reason)).toContain('NATS does not let tasks listen to rpc.v1.auth');
    await bus[Symbol.asyncDispose]();
  });

  test('a call without permission fails with that reason, without waiting for its deadline', async () => {
    const bus = await connectTestBus(nats, 'cluster-sync');

    const call = bus.call(boats.operations.echo, { body: { text: '' } }, { deadlineMs: 100_000 });

    await expect(call).rejects.toThrow('does not allow cluster-sync to send to rpc.v1.auth.cluster-sync.boats.echo');
    await bus[Symbol.asyncDispose]();
  });
});
