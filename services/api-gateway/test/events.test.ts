import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { Bus } from '@berth/bus/bus';
import type { Identity } from '@berth/contracts/access/identity';
import type { StateMessage } from '@berth/bus/state/publish-state';
import { resources } from '@berth/contracts/resources/index';
import { sampleIdentities, samplePlaces } from '@berth/testing/test-identities';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { problemOf } from './support/problem-of.ts';
import { startTestGateway, type TestGateway, testAuth } from './support/start-test-gateway.ts';

const { envId, otherEnvId } = samplePlaces;

let gateway: TestGateway;
let tasks: Bus;
let auth: Bus;
let active: Set<string>;
let known: Record<string, Identity>;
let version: number;

beforeEach(async () => {
  gateway = await startTestGateway({ limits: { total: 4, perIdentity: 3 }, heartbeatMs: 200 });
  [active, version] = [new Set(Object.keys(sampleIdentities)), 0];
  known = { ...sampleIdentities };
  auth = await gateway.serve('auth', testAuth(active, known));
  tasks = await gateway.serve('tasks');
  await Promise.all([auth, tasks].map((bus) => bus.state.ensureStream()));
});
afterEach(() => gateway[Symbol.asyncDispose]());

interface Sent {
  id?: string;
  event?: string;
  data?: { table: string; data: { id: string }; operation: string; env_id: string | null; version: number };
}

interface Watching {
  disconnect(): void;
  /** Events and resets so far. */
  sent(): Sent[];
  /** The ids of the rows whose events arrived, in order. */
  rows(): string[];
  /** The last `id:` that a browser would send back. */
  lastId(): string;
  /** The received text. */
  text(): string;
  done: Promise<void>;
}

async function watch({ query = '', token = 'siteAdmin', after = '', at = gateway } = {}): Promise<Watching> {
  const reader = new AbortController();
  const response = await at.get(`/api/v2/events${query}`, {
    headers: { 'x-service-token': token, ...(after !== '' && { 'last-event-id': after }) },
    signal: reader.signal,
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  let text = '';
  const done = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  })();
  done.catch(() => undefined);
  const blocks = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .map((block) =>
        Object.fromEntries(
          block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
        ),
      );
  const sent = () =>
    blocks()
      .filter(({ data }) => data !== undefined)
      .map((block): Sent => ({ ...block, data: JSON.parse(block['data'] ?? '') }));
  const watching = {
    disconnect: () => reader.abort(),
    sent,
    rows: () => sent().flatMap(({ event, data }) => (event === undefined && data ? [data.data.id] : [])),
    lastId: () => blocks().findLast(({ id }) => id !== undefined)?.['id'] ?? '',
    text: () => text,
    done,
  };
  // The first position shows that the stream is open.
  await expect.poll(watching.lastId).not.toBe('');
  return watching;
}

interface Announced extends Partial<StateMessage<Record<string, unknown>>> {
  by?: Bus;
}

async function announce({ by = tasks, ...given }: Announced = {}): Promise<string> {
  version += 1;
  const id = given.id ?? randomUUID();
  const row = { id, status: 'Running' };
  await by.state.announce({ resource: 'deployments', version, env_id: envId, operation: 'UPDATE', row, ...given, id });
  return id;
}

const streamsOpen = async () =>
  (await gateway.metrics.getSingleMetric('berth_event_streams_open')?.get())?.values[0]?.value;

describe('a stream of events', () => {
  test('contains each change of a row once, with table, env and version but without the row', async () => {
    const { sent } = await watch();

    const id = await announce({ operation: 'INSERT' });

    await expect.poll(sent).toHaveLength(1);
    expect(sent()[0]).toEqual({
      id: expect.stringMatching(/^\d+-1$/),
      data: { operation: 'INSERT', table: 'deployments', env_id: envId, data: { id }, version: 1 },
    });
  });

  test('contains no event twice if its owner published it again, and no older version after a newer one', async () => {
    const { rows, sent } = await watch();
    const id = await announce({ version: 5 });
    await tasks.state.ensureStream();
    await announce({ id, version: 4 });
    // Publishes the same change over another connection, like a new relay.
    const other = await gateway.serve('tasks');
    await announce({ by: other, id, version: 5 });
    const last = await announce({ id: randomUUID(), version: 6 });

    await expect.poll(rows).toContain(last);
    expect(sent().map(({ data }) => data?.version)).toEqual([5, 6]);
  });

  test('can be limited to tables and an env', async () => {
    const { rows } = await watch({ query: `?tables=deployment_tasks,secrets&env_id=${envId}` });
    await announce();
    await announce({ resource: 'deployment_tasks', env_id: otherEnvId });
    const task = await announce({ resource: 'deployment_tasks' });
    const secret = await announce({ resource: 'secrets' });

    await expect.poll(rows).toEqual([task, secret]);
  });

  test('is kept open by comments that carry the position', async () => {
    const { text, lastId } = await watch({ query: '?tables=secrets' });
    const before = lastId();
    await announce();

    await expect.poll(() => lastId() !== before && text().endsWith(`: here\nid: ${lastId()}\n\n`)).toBe(true);
  });

  test.for([
    ['an unknown table', '?tables=deployments,passwords', 400],
    ['a table without a name', '?tables=,', 400],
    ['an env that is not an id', '?env_id=x', 400],
    ['an unknown parameter', '?since=1', 400],
  ] as const)('is refused with %s', async ([, query, status]) => {
    expect(await problemOf(await gateway.get(`/api/v2/events${query}`))).toMatchObject({ status, code: 'invalid' });
  });

  test('is refused without a credential', async () => {
    expect(await problemOf(await fetch(`${gateway.url}/api/v2/events`))).toMatchObject({ status: 401 });
  });

  test('is refused beyond the limits for one identity and for all', async () => {
    const open = await Promise.all([watch(), watch(), watch()]);
    expect(await problemOf(await gateway.get('/api/v2/events'))).toMatchObject({ status: 429 });
    await watch({ token: 'bot' });
    const more = { headers: { 'x-service-token': 'envUser' } };
    expect(await problemOf(await gateway.get('/api/v2/events', more))).toMatchObject({ status: 503 });

    open[0]?.disconnect();

    await expect.poll(async () => (await gateway.send('HEAD', '/api/v2/events')).status).toBe(200);
    await expect.poll(async () => (await fetchHead('envUser')).status).toBe(200);
  });

  const fetchHead = async (token: string) => {
    const reader = new AbortController();
    const response = await gateway.get('/api/v2/events', {
      headers: { 'x-service-token': token },
      signal: reader.signal,
    });
    reader.abort();
    return response;
  };

  test('is counted in the metrics while it is open', async () => {
    const { disconnect } = await watch();
    expect(await streamsOpen()).toBe(1);

    disconnect();

    await expect.poll(streamsOpen).toBe(0);
  });
});

describe('a stream of events contains only what its identity may see:', () => {
  /** Publishes one event of every resource that has events: in the env of the identities, in another env, and without an env. */
  async function announceAll(): Promise<void> {
    for (const bus of [auth, tasks]) {
      const owned = resources.filter(({ owner, state }) => owner === bus.caller && state);
      for (const { name } of owned) {
        for (const env_id of [envId, otherEnvId, null]) {
          await announce({ by: bus, resource: name, env_id, row: { user_id: sampleIdentities.envUser.id } });
        }
      }
    }
    await announce({ by: tasks, resource: 'deployments', env_id: envId });
  }

  const placeOf = (env: string | null | undefined) => (env === envId ? 'env' : env === otherEnvId ? 'other' : 'none');

  test.for(['siteAdmin', 'bot', 'envAdmin', 'envUser', 'outsider', 'deployment'] as const)('%s', async (token) => {
    const { sent } = await watch({ token });
    const all = await watch({ token: 'siteAdmin' });

    await announceAll();

    const owned = resources.filter(({ owner, state }) => (owner === 'auth' || owner === 'tasks') && state);
    await expect.poll(() => all.sent().length).toBe(owned.length * 3 + 1);
    // The position also advances past events that are not shown.
    await expect.poll(() => sent().length > 0 || token === 'outsider').toBe(true);
    const tables: Record<string, string> = {};
    for (const { data } of sent()) {
      if (data) tables[data.table] = [...(tables[data.table]?.split(' ') ?? []), placeOf(data.env_id)].join(' ');
    }
    expect(tables).toMatchSnapshot();
  });
});

describe('an interrupted stream of events', () => {
  test('continues after the last event that the client received, without gaps or repeats', async () => {
    const first = await watch();
    const before = await announce();
    await expect.poll(first.rows).toEqual([before]);
    first.disconnect();

    const missed = [await announce(), await announce()];
    const second = await watch({ after: first.lastId() });
    await expect.poll(second.rows).toEqual(missed);
    const next = await announce();

    await expect.poll(second.rows).toEqual([...missed, next]);
  });

  test('continues from the stream itself if the gateway has not kept the events', async () => {
    const first = await watch();
    const position = first.lastId();
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) ids.push(await announce());
    await expect.poll(first.rows).toEqual(ids);
    first.disconnect();
    await expect.poll(streamsOpen).toBe(0);

    const second = await watch({ after: position });

    await expect.poll(second.rows).toEqual(ids);
  });

  test('continues at another gateway after its own has stopped, without gaps or repeats', async () => {
    const first = await watch();
    const before = await announce();
    await expect.poll(first.rows).toEqual([before]);
    const missed = [await announce(), await announce({ id: before })];
    await gateway.stop();
    await first.done;
    missed.push(await announce({ id: before }), await announce());

    await using other = await startTestGateway({ nats: gateway.nats });
    const second = await watch({ after: first.lastId(), at: other });
    const next = await announce({ id: before });

    const all = [before, ...missed, next];
    await expect.poll(() => [...first.rows(), ...second.rows()]).toEqual(all);
    expect([...first.sent(), ...second.sent()].map(({ data }) => data?.version)).toEqual(all.map((_, n) => n + 1));
  });

  test.for([
    ['after the stream was lost', '1000000000000-7'],
    ['that is malformed', 'x'.repeat(2_000)],
  ])('begins with a reset after a position %s', async ([, after]) => {
    await announce();
    const { sent, rows } = await watch({ after: after ?? '' });
    await expect.poll(sent).toMatchObject([{ event: 'reset', data: { reason: expect.any(String) } }]);

    const next = await announce();

    await expect.poll(rows).toEqual([next]);
  });

  test('begins with a reset if the next events are no longer kept', async () => {
    const { lastId, disconnect } = await watch();
    const position = lastId();
    disconnect();
    await announce();
    await announce();
    await gateway.nats.purge('ROW_EVENTS', { keep: 1 });

    // The first gateway may still have the removed events in memory.
    await using other = await startTestGateway({ nats: gateway.nats });
    const { sent, disconnect: leave } = await watch({ after: position, at: other });

    await expect.poll(sent).toMatchObject([{ event: 'reset' }]);
    leave();
  });
});

describe('an open stream of events', () => {
  test('survives a restart of NATS', async () => {
    const { rows, sent } = await watch();
    const before = await announce();
    await expect.poll(rows).toEqual([before]);

    await gateway.nats.stop();
    await gateway.nats.start();
    await expect.poll(() => tasks.isConnected()).toBe(true);
    const after = await announce();

    await expect.poll(rows).toEqual([before, after]);
    expect(sent().filter(({ event }) => event === 'reset')).toEqual([]);
  });

  test('gets a reset when the stream of events was lost, and then further changes', async () => {
    const { rows, sent } = await watch();
    await announce();
    await expect.poll(rows).toHaveLength(1);

    await gateway.nats.stop();
    await gateway.nats.wipe();
    await gateway.nats.start();
    await expect
      .poll(() =>
        tasks.state.ensureStream().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);

    await expect.poll(() => sent().at(-1)).toMatchObject({ event: 'reset' });
    const after = await announce();
    await expect.poll(() => rows().at(-1)).toBe(after);
  });

  test('is cut off if its user is deactivated', async () => {
    const { done } = await watch({ token: 'envUser' });

    active.delete('envUser');

    await expect(done).rejects.toThrow('terminated');
  });

  test('follows the roles of its user: a new env is in it from then on, and one that the user has left is not', async () => {
    const { rows } = await watch({ token: 'envUser' });
    const before = await announce();
    await expect.poll(rows).toEqual([before]);

    known['envUser'] = { ...sampleIdentities.envUser, env_roles: { [otherEnvId]: 'User' } };
    const there: string[] = [];
    await expect
      .poll(async () => {
        there.push(await announce({ env_id: otherEnvId }));
        return rows().some((id) => there.includes(id));
      })
      .toBe(true);
    const left = await announce();
    const last = await announce({ env_id: otherEnvId });

    await expect.poll(rows).toContain(last);
    expect(rows()).not.toContain(left);
  });

  test('does not delay others if its client reads nothing', async () => {
    const { port } = gateway;
    const lazy = request({ port, path: '/api/v2/events', headers: { 'x-service-token': 'envAdmin' } });
    lazy.on('response', (response) => response.pause());
    lazy.on('error', () => undefined);
    lazy.end();
    const { rows } = await watch();

    const ids = await Promise.all(Array.from({ length: 200 }, () => announce()));

    await expect.poll(() => rows().length).toBe(ids.length);
    lazy.destroy();
  });
});
