import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallerName, callerNames, type ServiceName, serviceNames } from '@berth/contracts/definition/contract';
import { hints } from '@berth/contracts/definition/hints';
import { resources } from '@berth/contracts/resources/index';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { envs } from '@berth/contracts/resources/envs/envs';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../bus.ts';
import { chartBucket, chartStream } from '../objects/chart-store.ts';
import { durableName } from '../state/state-consumer.ts';
import { eventStream, stateStream } from '../state/state-stream.ts';
import {
  allEvents,
  digestSubject,
  callSubject,
  eventSubject,
  hintSubject,
  inboxPrefix,
  replySubject,
  republishSubject,
  rpcSubject,
  rpcSubjectsOf,
  stateSubject,
} from '../protocol/subjects.ts';
import { callersOf } from './permissions.ts';
import { callersWithStreams, readsEvents, streamGrants, streamsUser, usesStreams } from './stream-grants.ts';

const allStreams = [...new Set(streamGrants(resources).map(({ stream }) => stream))];

let nats: TestNats;
let gateway: Bus;
let operator: NatsConnection;
const owners = new Map<CallerName, Bus>();
const managers = new Map<string, JetStreamManager>();
const open: NatsConnection[] = [];

beforeAll(async () => {
  nats = await startTestNats();
  gateway = await connectTestBus(nats, 'api-gateway');
  for (const owner of callersWithStreams) {
    const bus = await connectTestBus(nats, owner);
    owners.set(owner, bus);
    // The gateway only reads streams.
    if (owner !== 'api-gateway') await bus.state.ensureStream();
  }
  await owners.get('registry-scan')?.objects.put(`sha256:${hash('sha256', 'chart')}`, Buffer.from('chart'));
  operator = await connectAs(nats.operator);
  for (const stream of allStreams) {
    managers.set(stream, await jetstreamManager(await connectAs(nats.administratorOf(stream))));
  }
});
afterAll(async () => {
  await Promise.all(open.map((connection) => connection.close()));
  await Promise.all([gateway, ...owners.values()].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

async function connectAs(user: string, inbox?: string): Promise<NatsConnection> {
  const connection = await connect({
    servers: nats.url,
    user,
    pass: nats.password,
    ...(inbox !== undefined && { inboxPrefix: inbox }),
  });
  open.push(connection);
  return connection;
}

/** The NATS credentials of a part, used by an attacker. */
const as = (part: CallerName) => connectAs(part, inboxPrefix(part));

const withItsStreams = (part: CallerName) => connectAs(streamsUser(part), inboxPrefix(part));

interface Tried {
  publish: string[];
  subscribe: string[];
}

/** The attempts that the server allowed to any user of the part. */
async function passed(part: CallerName, tried: Tried): Promise<Set<string>> {
  const users = [await as(part), ...(usesStreams(part) ? [await withItsStreams(part)] : [])];
  const each = await Promise.all(users.map((user) => passedWith(user, tried)));
  return new Set(each.flatMap((allowed) => [...allowed]));
}

async function passedWith(connection: NatsConnection, tried: Tried): Promise<Set<string>> {
  const refused = new Set<string>();
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError)
        refused.add(status.error.subject);
    }
  })();
  for (const subject of tried.publish) connection.publish(subject);
  for (const subject of tried.subscribe) {
    const [name = '', queue] = subject.split(' ');
    connection.subscribe(name, { ...(queue && { queue }), callback: () => undefined });
  }
  await connection.flush();
  await connection.flush();
  await new Promise((resolve) => setImmediate(resolve));
  await connection.close();
  return new Set([...tried.publish, ...tried.subscribe].filter((one) => !refused.has(one.split(' ')[0] ?? '')));
}

const owned = (owner: ServiceName) => resources.filter((resource) => resource.owner === owner);
const stated = (owner: ServiceName) => owned(owner).filter(({ state }) => state);
const operationsOf = (owner: ServiceName) => owned(owner).flatMap(({ operations }) => Object.values(operations));
const js = (verb: string, rest: string) => `$JS.API.${verb}.${rest}`;

/** The attacks by column of the table, then by victim. */
const attempts: Record<string, Record<string, Partial<Tried>>> = {
  'answers for': byService((victim) => ({
    publish: callerNames.map((caller) => replySubject(victim, caller, 'instance', 'token')),
  })),
  'receives requests to': byService((victim) => ({
    subscribe: [rpcSubjectsOf(victim), `${rpcSubjectsOf(victim)} ${victim}`, `$SRV.PING.${victim}`],
  })),
  'receives answers to': byCaller((victim) => ({
    subscribe: [`${inboxPrefix(victim)}.>`, `${inboxPrefix(victim)}.*.*.*`, `self.v1.${victim}.*`],
  })),
  'calls as': byCaller((victim) => ({
    publish: serviceNames.flatMap((owner) =>
      operationsOf(owner).map((operation) => callSubject(operation, victim).replace('*', 'process')),
    ),
  })),
  'publishes state of': byService((victim) => ({
    publish: stated(victim).flatMap(({ name }) => [
      stateSubject(victim, name, 'id'),
      eventSubject(victim, name, 'id'),
      digestSubject(victim, name),
    ]),
  })),
  'creates the stream of': byService((victim) => ({ publish: [js('STREAM.CREATE', stateStream(victim))] })),
  'creates consumers of': byService((victim) => ({
    publish: stated(victim).flatMap(({ name }) => {
      const durables = [...callerNames.map((caller) => durableName(caller, name)), 'x'];
      return durables.flatMap((durable) => [
        js('CONSUMER.CREATE', `${stateStream(victim)}.${durable}.${stateSubject(victim, name, '>')}`),
        js('CONSUMER.CREATE', `${stateStream(victim)}.${durable}`),
        js('CONSUMER.DURABLE.CREATE', `${stateStream(victim)}.${durable}`),
      ]);
    }),
  })),
  'requests tables as': byCaller((victim) => ({
    publish: serviceNames.flatMap((owner) => stated(owner).map(({ name }) => republishSubject(owner, victim, name))),
  })),
  'sends hints of': byCaller((victim) => ({
    publish: Object.entries(hints)
      .filter(([, { sender }]) => sender === victim)
      .map(([name]) => hintSubject(name as keyof typeof hints, 'key')),
  })),
  'consumes and acknowledges as': byCaller((victim) => ({
    publish: serviceNames.flatMap((owner) =>
      stated(owner).flatMap(({ name }) => {
        const durable = durableName(victim, name);
        return [
          js('CONSUMER.DELETE', `${stateStream(owner)}.${durable}`),
          js('CONSUMER.MSG.NEXT', `${stateStream(owner)}.${durable}`),
          `$JS.ACK.${stateStream(owner)}.${durable}.1.1.1.1.1`,
          // With `+NXT` as its body, the acknowledgement also pulls from that consumer. Later servers have other names in these
          // places.
          ...callerNames
            .filter((other) => other !== victim)
            .map(
              (other) =>
                `$JS.ACK.${stateStream(owner)}.${durable}.${stateStream(owner)}.${durableName(other, name)}.1.1.1`,
            ),
        ];
      }),
    ),
  })),
  'with streams': {
    'create the stream of events': { publish: [js('STREAM.CREATE', eventStream)] },
    'read all events': { publish: [js('CONSUMER.CREATE', `${eventStream}.any.${allEvents}`)] },
    'change, purge or delete streams': together([eventStream, ...serviceNames.map(stateStream)].map(streamWrites)),
    'get messages of state or events': together([eventStream, ...serviceNames.map(stateStream)].map(streamReads)),
    'read chart packages': {
      publish: [
        ...(streamReads(chartStream).publish ?? []),
        js('CONSUMER.CREATE', `${chartStream}.x.$O.${chartBucket}.C.*`),
      ],
    },
    'write chart packages': { publish: [`$O.${chartBucket}.C.x`, `$O.${chartBucket}.M.x`] },
    'purge chart packages': { publish: [js('STREAM.PURGE', chartStream)] },
    'change or delete the chart bucket': {
      publish: ['UPDATE', 'DELETE'].map((verb) => js(`STREAM.${verb}`, chartStream)),
    },
    'steer other consumers': { publish: [js('CONSUMER.PAUSE', `${eventStream}.x`), `$JS.FC.${eventStream}.x`] },
  },
  'with the server': {
    'receive its events': { subscribe: ['$SYS.>', '$JS.EVENT.>', '>'] },
    'query it': { publish: ['$SYS.REQ.SERVER.PING', js('ACCOUNT', 'PURGE.x'), '$JS.API.INFO'] },
    "answer to the default inbox, where operators' requests come back": { publish: ['_INBOX.x.y'] },
    'discover services': { publish: ['$SRV.PING', '$SRV.PING.auth'] },
  },
};

function byService(attempt: (victim: ServiceName) => Partial<Tried>): Record<string, Partial<Tried>> {
  return Object.fromEntries(serviceNames.map((victim) => [victim, attempt(victim)]));
}
function byCaller(attempt: (victim: CallerName) => Partial<Tried>): Record<string, Partial<Tried>> {
  return Object.fromEntries(callerNames.map((victim) => [victim, attempt(victim)]));
}
function together(all: Partial<Tried>[]): Partial<Tried> {
  return { publish: all.flatMap(({ publish = [] }) => publish) };
}
function streamWrites(stream: string): Partial<Tried> {
  return {
    publish: ['UPDATE', 'PURGE', 'DELETE', 'MSG.DELETE', 'SNAPSHOT'].map((verb) => js(`STREAM.${verb}`, stream)),
  };
}
function streamReads(stream: string): Partial<Tried> {
  return { publish: [js('STREAM.MSG.GET', stream), js('DIRECT.GET', stream), js('DIRECT.GET', `${stream}.x`)] };
}

/** The victims of each attack that works. */
async function powersOf(user: CallerName): Promise<Record<string, string[]>> {
  const cases = Object.values(attempts).flatMap((victims) => Object.values(victims));
  const publish = [...new Set(cases.flatMap((one) => one.publish ?? []))];
  const subscribe = [...new Set(cases.flatMap((one) => one.subscribe ?? []))];
  const works = await passed(user, { publish, subscribe });
  return Object.fromEntries(
    Object.entries(attempts).map(([name, victims]) => [
      name,
      Object.entries(victims)
        .filter(([, { publish: sent = [], subscribe: received = [] }]) =>
          [...sent, ...received].some((one) => works.has(one)),
        )
        .map(([victim]) => victim),
    ]),
  );
}

describe('with the credentials of one part', () => {
  const identityColumns = Object.keys(attempts).filter((name) => !name.startsWith('with '));

  test.for(callerNames)('with the credentials of %s, an attacker can act only as that part', async (user) => {
    const powers = await powersOf(user);

    for (const name of identityColumns)
      expect([name, powers[name]?.filter((victim) => victim !== user)]).toEqual([name, []]);
  });

  test('the table in the operators’ manual lists what each part can still do', async () => {
    const rows: string[] = [];
    for (const user of callerNames) {
      const powers = await powersOf(user);
      const calls = serviceNames.flatMap((owner) =>
        operationsOf(owner).filter((operation) => callersOf(operation).includes(user)),
      );
      const named = calls
        .filter(({ http }) => !http || user !== 'api-gateway')
        .map(({ resource, name }) => `\`${resource}.${name}\``);
      const callable = [...(user === 'api-gateway' ? ['every operation with a route'] : []), ...named].join(', ');
      const rest = [...(powers['with streams'] ?? []), ...(powers['with the server'] ?? [])].join(', ');
      rows.push(`| \`${user}\` | ${callable || 'nothing'} | ${rest || 'nothing'} |`);
    }
    const table = ['| With the credentials of | Calls, as itself | Can besides |', '| --- | --- | --- |', ...rows].join(
      '\n',
    );

    const manual = await readFile(new URL('../../../../../docs/operators.md', import.meta.url), 'utf8');
    expect(manual).toContain(table);
  });
});

describe('a compromised part', () => {
  test('cannot answer for another part, even if it knows the reply subject', async () => {
    const [owner, thief] = await Promise.all([as('auth'), as('registry-scan')]);
    const forged = {
      ok: true,
      value: { identity: { kind: 'bot', id: crypto.randomUUID() }, identity_token: 'stolen' },
    };
    owner.subscribe(rpcSubject(identities.operations.authenticate, '*'), {
      queue: 'auth',
      callback: (_, { reply = '' }) => thief.publish(reply, JSON.stringify(forged)),
    });
    await owner.flush();
    const body = { credential: { token: 'x' }, audience: 'tasks' } as const;

    const answer = gateway.call(identities.operations.authenticate, { body }, { deadlineMs: 300 });

    await expect(answer).rejects.toMatchObject({ code: 'timeout' });
  });

  test('a part that creates its own stream over the subjects of requests receives none', async () => {
    const stream = stateStream('tasks');
    await managers.get(stream)?.streams.delete(stream);
    const heard: string[] = [];
    const administrator = await connectAs(nats.administratorOf(stream));
    administrator.subscribe('heard.>', { callback: (_, { subject }) => void heard.push(subject) });
    await administrator.flush();
    const thief = await withItsStreams('tasks');
    const control = stateSubject('tasks', 'deployments', 'control');

    const created = await thief.request(
      js('STREAM.CREATE', stream),
      JSON.stringify({
        name: stream,
        subjects: ['state_v1.tasks.>', 'rpc.v1.auth.>'],
        no_ack: true,
        storage: 'memory',
        republish: { src: '>', dest: 'heard.>' },
      }),
    );
    expect(created.json()).not.toHaveProperty('error');
    const body = { credential: { token: 'x' }, audience: 'tasks' } as const;
    await gateway.call(identities.operations.authenticate, { body }, { deadlineMs: 300 }).catch(() => undefined);
    thief.publish(control);

    await expect.poll(() => heard).toContain(`heard.${control}`);
    expect(heard).toEqual([`heard.${control}`]);
    await managers.get(stream)?.streams.delete(stream);
    await owners.get('tasks')?.state.ensureStream();
  });

  /** Reply subjects that the attacker may not publish to, but JetStream answers to. */
  const forbiddenReplies = (thief: CallerName) => ({
    api: allStreams.flatMap((stream) => [js('STREAM.DELETE', stream), js('STREAM.PURGE', stream)]),
    streams: serviceNames
      .filter((owner) => owner !== thief)
      .flatMap((owner) =>
        stated(owner).flatMap(({ name }) => [stateSubject(owner, name, 'forged'), eventSubject(owner, name, 'forged')]),
      ),
    bus: [
      rpcSubject(identities.operations.authenticate, 'api-gateway'),
      ...callerNames.map((caller) => `${inboxPrefix(caller)}.auth.instance.token`),
      ...serviceNames.map((owner) => digestSubject(owner, 'envs')),
      ...callerNames.map((caller) => republishSubject('auth', caller, 'envs')),
    ],
  });

  /** Grants with names in place of wildcards; those that would prevent the other attempts come last. */
  function grantedTo(thief: CallerName): string[] {
    const subjects = streamGrants(resources)
      .filter(({ caller }) => caller === thief)
      .flatMap(({ publish }) => publish.map((subject) => subject.replace(/>$/, 'x.y').replaceAll('*', 'x')));
    const isLast = (subject: string) => Number(/(DELETE|PURGE)\./.test(subject));
    return subjects.sort((one, other) => isLast(one) - isLast(other));
  }

  /** When each stream was created, and the first sequence of those that the attacker may not write to. */
  async function streamsAsSeenBy(thief: CallerName) {
    const writes = (stream: string) =>
      streamGrants(resources).some(
        (grant) =>
          grant.caller === thief && grant.stream === stream && grant.publish.some((one) => !one.startsWith('$JS')),
      );
    const states = allStreams.map(async (stream) => {
      const info = await managers
        .get(stream)
        ?.streams.info(stream)
        .catch(() => null);
      return [stream, { created: info?.created, ...(!writes(stream) && { first: info?.state.first_seq }) }] as const;
    });
    return Object.fromEntries(await Promise.all(states));
  }

  test.for(callersWithStreams)(
    'the streams user of %s cannot make JetStream publish for it to the bus, to the API or to another stream',
    async (thief) => {
      const replies = forbiddenReplies(thief);
      const works = await controlOf(thief);
      const onTheBus: string[] = [];
      const listening = operator.subscribe('>', { callback: (_, { subject }) => void onTheBus.push(subject) });
      await operator.flush();
      const before = await streamsAsSeenBy(thief);
      const connection = await withItsStreams(thief);

      for (const subject of grantedTo(thief).filter((granted) => !granted.includes('CONSUMER.DELETE.'))) {
        for (const reply of Object.values(replies).flat()) {
          for (const body of ['', '{"batch":1,"no_wait":true}', '{"seq":1}'])
            connection.publish(subject, body, { reply });
        }
      }
      // The same attack with a permitted subject: once it has taken effect, the others have had enough time.
      await expect.poll(() => works(connection), { interval: 200 }).toBe(true);

      expect(await streamsAsSeenBy(thief)).toEqual(before);
      for (const subject of replies.streams) {
        const held = subject.startsWith('event') ? eventStream : stateStream(ownerIn(subject));
        expect(await managers.get(held)?.streams.getMessage(held, { last_by_subj: subject }), subject).toBeNull();
      }
      await operator.flush();
      listening.unsubscribe();
      expect(onTheBus.filter((subject) => replies.bus.includes(subject))).toEqual([]);
      expect(onTheBus.filter((subject) => subject.startsWith('$JS') || subject.startsWith('state_v1'))).toEqual([]);
    },
  );

  /** A request whose reply goes to a subject that the attacker may publish to; resolves to whether it took effect. */
  async function controlOf(thief: CallerName): Promise<(connection: NatsConnection) => Promise<boolean>> {
    const pulled = resources.find(({ state }) => state?.consumers.some((consumer) => consumer === thief));
    const { owner, name } = pulled ?? envs;
    const id = crypto.randomUUID();
    const row = { resource: name, id, version: 1, env_id: null, operation: 'INSERT', row: { id } } as const;
    await owners.get(owner)?.state.ensureStream();
    if (!pulled) {
      await owners.get(owner)?.state.announce(row);
      return async (connection) => {
        const inbox = `${inboxPrefix(thief)}.control`;
        let heard = 0;
        const listening = connection.subscribe(inbox, { callback: () => void (heard += 1) });
        connection.publish(readsEvents, '{"seq":1,"batch":1}', { reply: inbox });
        await connection.flush();
        await connection.flush();
        listening.unsubscribe();
        return heard > 0;
      };
    }
    await owners.get(owner)?.state.publish(row);
    const [consumer, stream] = [durableName(thief, name), stateStream(owner)];
    return async (connection) => {
      const reply = js('CONSUMER.DELETE', `${stream}.${consumer}`);
      connection.publish(js('CONSUMER.MSG.NEXT', `${stream}.${consumer}`), '{"batch":1,"no_wait":true}', { reply });
      const exists = await managers
        .get(stream)
        ?.consumers.info(stream, consumer)
        .then(
          () => true,
          () => false,
        );
      return exists === false;
    };
  }

  const ownerIn = (subject: string) => serviceNames.find((owner) => subject.split('.')[1] === owner) ?? 'auth';
});
