import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { boat, boats } from '@berth/testing/boats';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../bus.ts';
import type { StateMessage } from './publish-state.ts';

let nats: TestNats;
let auth: Bus;
let tasks: Bus;
let operator: NatsConnection;
let end: AbortController;
let following: Promise<void>[];

beforeEach(async () => {
  nats = await startTestNats({ resources: [boats] });
  [auth, tasks, operator] = await Promise.all([
    connectTestBus(nats, 'auth'),
    connectTestBus(nats, 'tasks'),
    connect({
      servers: nats.url,
      user: nats.administratorOf('STATE_auth'),
      pass: nats.password,
      maxReconnectAttempts: -1,
    }),
  ]);
  end = new AbortController();
  following = [];
});

afterEach(async () => {
  end.abort();
  await Promise.all(following);
  await operator.close();
  await Promise.all([auth, tasks].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

const change = (id: string, version: number): StateMessage => ({
  resource: 'boats',
  id,
  version,
  env_id: boat.env_id,
  operation: 'UPDATE',
  row: { ...boat, name: `v${version}` },
});

const publish = (...messages: StateMessage[]) => Promise.all(messages.map((message) => auth.state.publish(message)));

/** A follower like `tasks`, which keeps the newest version of each row. */
function followed(apply?: (message: StateMessage) => Promise<void>, matches?: () => Promise<boolean>) {
  const versions: Record<string, number> = {};
  following.push(
    tasks.state.follow(boats, {
      signal: end.signal,
      ...(matches && { matches }),
      async apply(message) {
        await apply?.(message);
        versions[message.id] = Math.max(versions[message.id] ?? 0, message.version);
      },
    }),
  );
  return versions;
}

test('a tombstone expires after a month, the state of an existing row never does', async () => {
  await auth.state.ensureStream();
  await publish(change('a', 1), { ...change('b', 2), operation: 'DELETE' });

  const { streams } = await jetstreamManager(operator);
  const lifetimeOf = async (id: string) => {
    const message = await streams.getMessage('STATE_auth', { last_by_subj: `state_v1.auth.boats.${id}` });
    return message?.header.get('Nats-TTL');
  };
  expect([await lifetimeOf('a'), await lifetimeOf('b')]).toEqual(['', '744h']);
});

describe('the published state of a resource', () => {
  test('reaches a follower: first the last state of each row, then every change', async () => {
    await auth.state.ensureStream();
    await publish(change('a', 1), change('b', 1));
    await publish(change('a', 2));

    const versions = followed();

    await expect.poll(() => versions).toEqual({ a: 2, b: 1 });
    await publish(change('c', 7));
    await expect.poll(() => versions).toEqual({ a: 2, b: 1, c: 7 });
  });

  test('is received by a follower that started before its owner ever published', async () => {
    const versions = followed();

    await auth.state.ensureStream();
    await publish(change('a', 1));

    await expect.poll(() => versions).toEqual({ a: 1 });
  });

  test('is in the stream once, however often it is published', async () => {
    const before = await auth.state.ensureStream();

    await publish(change('a', 1));
    await publish(change('a', 1));

    const after = await auth.state.ensureStream();
    expect(after).toMatchObject({ created: before.created, lastSeq: before.lastSeq + 1 });
  });

  test('cannot be published without its stream', async () => {
    await (await jetstreamManager(operator)).streams.delete('STATE_auth');

    await expect(publish(change('a', 1))).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is retried if it cannot be applied, and later messages are not lost', async () => {
    await auth.state.ensureStream();
    let failures = 0;
    const versions = followed(async ({ id }) => {
      if (id === 'a' && failures < 2) {
        failures += 1;
        throw new Error('the database is away');
      }
    });

    await publish(change('a', 1));
    await publish(change('b', 1));

    await expect.poll(() => versions).toEqual({ a: 1, b: 1 });
    expect(failures).toBe(2);
  });

  test('is skipped if the message is malformed', async () => {
    await auth.state.ensureStream();
    const versions = followed();

    operator.publish('state_v1.auth.boats.x', 'not JSON');
    operator.publish('state_v1.auth.boats.y', '{"resource":"ships","id":"y","version":1}');
    await operator.flush();
    await publish(change('a', 1));

    await expect.poll(() => versions).toEqual({ a: 1 });
  });
});

describe('a follower survives', () => {
  test('the loss of its consumer, once the owner has created it again', async () => {
    await auth.state.ensureStream();
    const versions = followed();
    await publish(change('a', 1));
    await expect.poll(() => versions).toEqual({ a: 1 });

    const manager = await jetstreamManager(operator);
    await manager.consumers.delete('STATE_auth', 'tasks-boats');
    await auth.state.ensureStream();

    await publish(change('a', 2));
    await expect.poll(() => versions).toEqual({ a: 2 });
  });

  test('the loss of the stream, once the owner has published again', async () => {
    const before = await auth.state.ensureStream();
    const versions = followed();
    await publish(change('a', 1));
    await expect.poll(() => versions).toEqual({ a: 1 });

    const manager = await jetstreamManager(operator);
    await manager.streams.delete('STATE_auth');
    const after = await auth.state.ensureStream();
    await publish(change('a', 1), change('b', 3));

    expect(after.created).not.toBe(before.created);
    await expect.poll(() => versions).toEqual({ a: 1, b: 3 });
  });

  test('a server that comes back with an empty store', async () => {
    await auth.state.ensureStream();
    const versions = followed();
    await publish(change('a', 1), change('b', 1));
    await expect.poll(() => versions).toEqual({ a: 1, b: 1 });

    await nats.stop();
    await nats.wipe();
    await nats.start();
    await expect.poll(() => auth.state.ensureStream().catch(() => null)).toMatchObject({ lastSeq: 0 });
    await publish(change('a', 2), change('b', 2), change('c', 2));

    await expect.poll(() => versions).toEqual({ a: 2, b: 2, c: 2 });
  });

  test('a server that is down for a while, without missing anything', async () => {
    await auth.state.ensureStream();
    const versions = followed();
    await publish(change('a', 1));
    await expect.poll(() => versions).toEqual({ a: 1 });

    await nats.stop();
    await nats.start();
    await expect.poll(() => publish(change('a', 2)).catch(() => null)).not.toBeNull();

    await expect.poll(() => versions).toEqual({ a: 2 });
  });
});

describe('a digest', () => {
  const digest = { resource: 'boats', count: 1, hash: 'x', lowest: 0 };

  test('makes the owner publish again and the follower read again, after two mismatches in a row', async () => {
    await auth.state.ensureStream();
    const requested: string[] = [];
    auth.state.onRepublishRequest(async (resource) => {
      requested.push(resource);
      await publish(change('a', 1));
    });
    let applied = 0;
    let compared = 0;
    followed(
      async () => void (applied += 1),
      async () => {
        compared += 1;
        return false;
      },
    );
    await publish(change('a', 1));
    await expect.poll(() => applied).toBe(1);

    auth.state.publishDigest(digest);
    await expect.poll(() => compared).toBe(1);
    expect(requested).toEqual([]);
    auth.state.publishDigest(digest);

    await expect.poll(() => requested).toEqual(['boats']);
    // An owner's relay does this every few seconds.
    const keepConsumers = async () => {
      await auth.state.ensureStream();
      return applied;
    };
    await expect.poll(keepConsumers).toBeGreaterThan(1);
  });

  test('resets the count of mismatches when it matches', async () => {
    const requested: string[] = [];
    auth.state.onRepublishRequest(async (resource) => void requested.push(resource));
    await auth.state.ensureStream();
    const answers = [false, true, false];
    const versions = followed(undefined, async () => answers.shift() ?? true);
    // The follower subscribes to digests before it reads rows, so a row that arrived proves that it receives digests.
    await publish(change('a', 1));
    await expect.poll(() => versions).toEqual({ a: 1 });

    for (let n = 0; n < 3; n += 1) {
      auth.state.publishDigest(digest);
      const left = 2 - n;
      await expect.poll(() => answers.length).toBe(left);
    }

    expect(requested).toEqual([]);
  });
});
