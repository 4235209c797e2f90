import { readFile } from 'node:fs/promises';
import { JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallerName, callerNames, type ServiceName, serviceNames } from '../../contracts/contract.ts';
import { hints } from '../../contracts/hints.ts';
import { identities } from '../../contracts/resources/identities.ts';
import { resources } from '../../contracts/index.ts';
import { connectTestBus } from '../../testing/test-bus.ts';
import { startTestNats, type TestNats } from '../../testing/test-nats.ts';
import type { Bus } from '../bus.ts';
import { chartBucket, chartStream } from '../objects/chart-store.ts';
import { callersOf } from './permissions.ts';
import { durableName } from '../state/state-consumer.ts';
import { eventStream } from '../state/state-stream.ts';
import { stateStream } from '../state/state-stream.ts';
import {
  allEvents,
  digestSubject,
  eventSubject,
  hintSubject,
  inboxPrefix,
  replySubject,
  republishSubject,
  rpcSubject,
  rpcSubjectsOf,
  stateSubject,
} from '../subjects.ts';

let nats: TestNats;
let gateway: Bus;
let auth: Bus;
let operator: NatsConnection;
let manager: JetStreamManager;
const open: NatsConnection[] = [];

beforeAll(async () => {
  nats = await startTestNats();
  gateway = await connectTestBus(nats, 'api-gateway');
  auth = await connectTestBus(nats, 'auth');
  await auth.state.ensureStream();
  operator = await connect({ servers: nats.url, user: nats.operator, pass: nats.password });
  open.push(operator);
  manager = await jetstreamManager(operator);
});
afterAll(async () => {
  await Promise.all(open.map((connection) => connection.close()));
  await Promise.all([gateway, auth].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

/** The NATS credentials of a part, used by an attacker. */
async function as(user: CallerName): Promise<NatsConnection> {
  const connection = await connect({ servers: nats.url, user, pass: nats.password, inboxPrefix: inboxPrefix(user) });
  open.push(connection);
  return connection;
}

interface Tried {
  publish: string[];
  subscribe: string[];
}

/** Which of the attempts the server allowed. */
async function passed(user: CallerName, tried: Tried): Promise<Set<string>> {
  const connection = await as(user);
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

/** Possible attacks: by column of the table, then by victim. */
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
    publish: serviceNames.flatMap((owner) => operationsOf(owner).map((operation) => rpcSubject(operation, victim))),
  })),
  'publishes state of': byService((victim) => ({
    publish: stated(victim).flatMap(({ name }) => [
      stateSubject(victim, name, 'id'),
      eventSubject(victim, name, 'id'),
      digestSubject(victim, name),
    ]),
  })),
  'makes the stream of': byService((victim) => ({ publish: [js('STREAM.CREATE', stateStream(victim))] })),
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
          js('CONSUMER.CREATE', `${stateStream(owner)}.${durable}.${stateSubject(owner, name, '>')}`),
          js('CONSUMER.DELETE', `${stateStream(owner)}.${durable}`),
          js('CONSUMER.MSG.NEXT', `${stateStream(owner)}.${durable}`),
          `$JS.ACK.${stateStream(owner)}.${durable}.1.1.1.1.1`,
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

/** By attack: against which victims it works. */
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

  test.for(callerNames)('%s can act only as itself', async (user) => {
    const powers = await powersOf(user);

    for (const name of identityColumns)
      expect([name, powers[name]?.filter((victim) => victim !== user)]).toEqual([name, []]);
  });

  test('what each part can still do matches the table in the operators’ manual', async () => {
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

  test('that is a runner cannot make JetStream publish to a subject denied to itself', async () => {
    const runner = await as('runner');
    const place = stateSubject('auth', 'envs', 'forged');
    const subjects = [
      js('STREAM.MSG.GET', chartStream),
      js('STREAM.INFO', chartStream),
      js('CONSUMER.INFO', `${chartStream}.x`),
    ];

    // The server answers to any reply subject that the request names.
    for (const subject of subjects) runner.publish(subject, '{"seq":1}', { reply: place });
    await runner.flush();
    await operator.flush();

    const stored = manager.streams.getMessage(stateStream('auth'), { last_by_subj: place });
    await expect(stored.catch((error: unknown) => error instanceof JetStreamApiError && null)).resolves.toBeNull();
  });
});
