import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NatsUser } from '@berth/bus/accounts/nats-accounts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { beforeAll, expect, test } from 'vitest';
import { startForTest, toolsForTest } from '../testing/with-servers.ts';
import { startNats } from './nats.ts';

let program: string;
beforeAll(async () => {
  program = (await toolsForTest('nats-server'))['nats-server'];
}, 20 * 60_000);

test('a restarted NATS has the same port and the same messages', async () => {
  const start = await startForTest();
  const first = await startNats({ ...start, program, accounts: [] });
  await using(first.url, async (connection) => {
    await (await jetstreamManager(connection)).streams.add({ name: 'KEPT', subjects: ['kept.>'] });
    await jetstream(connection).publish('kept.one', 'here');
  });

  await first.stop();
  const second = await startNats({ ...start, program, accounts: [] });

  expect(second.url).toBe(first.url);
  await using(second.url, async (connection) => {
    const { state } = await (await jetstreamManager(connection)).streams.info('KEPT');
    expect(state.messages).toBe(1);
  });
  await second.stop();
});

test('a NATS user can publish and subscribe only as its permissions say', async () => {
  const start = await startForTest();
  const users: NatsUser[] = [
    {
      name: 'tasks',
      password: 'a-password-with-"quotes"-and-$dollars',
      permissions: {
        publish: { allow: ['rpc.v1.auth.tasks.>'] },
        subscribe: { allow: ['_INBOX.tasks.>'], deny: ['_INBOX.tasks.secret'] },
      },
    },
  ];
  const nats = await startNats({ ...start, program, accounts: [{ name: 'BUS', users, hasJetStream: false }] });

  const connection = await connect({ servers: nats.url, user: 'tasks', pass: users[0]?.password ?? '' });
  const refusals: string[] = [];
  void (async () => {
    for await (const { type, ...status } of connection.status())
      if (type === 'error') refusals.push(String(Object.values(status)));
  })();
  connection.publish('rpc.v1.auth.tasks.users.get');
  connection.publish('rpc.v1.auth.gateway.users.get');
  connection.subscribe('_INBOX.tasks.mine');
  connection.subscribe('_INBOX.gateway.>', { callback: () => undefined });
  connection.subscribe('_INBOX.tasks.secret', { callback: () => undefined });
  await connection.flush();

  await expect.poll(() => refusals.join('\n')).toContain('rpc.v1.auth.gateway.users.get');
  await expect.poll(() => refusals.join('\n')).toContain('_INBOX.gateway.>');
  await expect.poll(() => refusals.join('\n')).toContain('_INBOX.tasks.secret');
  expect(refusals).toHaveLength(3);
  await connection.close();
  await expect(connect({ servers: nats.url, reconnect: false })).rejects.toThrow(/authorization/i);
  await nats.stop();
});

test('the configuration with the passwords can be read only by its owner', async () => {
  const start = await startForTest();
  const nats = await startNats({ ...start, program, accounts: [] });

  const { mode } = await stat(join(start.stateFolder, 'nats', 'nats-server.conf'));

  expect(mode & 0o777).toBe(0o600);
  await nats.stop();
});

test('a NATS that dies is reported by name, with the last lines of its log', async () => {
  const start = await startForTest();
  const nats = await startNats({ ...start, program, accounts: [] });

  process.kill(nats.pid, 'SIGKILL');
  const { message } = await nats.died;

  expect(message).toContain('nats ended by itself with SIGKILL');
  expect(message).toContain('Server is ready');
  expect(message).toContain(join(start.stateFolder, 'nats', 'nats.log'));
});

test('an aborted start ends the processes that it started', async () => {
  const start = await startForTest();
  const never = join(start.stateFolder, 'never-ready');
  await writeFile(never, '#!/bin/sh\necho $$ > "$0.pid"; exec sleep 60\n', { mode: 0o755 });
  const givenUp = new AbortController();
  const starting = startNats({ ...start, signal: givenUp.signal, program: never, accounts: [] });
  await expect.poll(() => readFile(`${never}.pid`, 'utf8')).toMatch(/\d/);
  const pid = Number(await readFile(`${never}.pid`, 'utf8'));

  givenUp.abort(new Error('changed my mind'));

  await expect(starting).rejects.toThrow('changed my mind');
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

async function using(url: string, work: (connection: Awaited<ReturnType<typeof connect>>) => Promise<void>) {
  const connection = await connect({ servers: url });
  try {
    await work(connection);
  } finally {
    await connection.close();
  }
}
