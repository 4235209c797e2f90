import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Msg } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { silentLog } from '@berth/testing/test-bus';
import type { Connection } from '../../connection/connection.ts';
import type { Sender } from '../wire/sender.ts';
import { openReplyInbox } from './reply-inbox.ts';

/** Both ends of a connection. */
async function socketPair(): Promise<AsyncDisposable & { near: Socket; far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const near = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  const [far]: Socket[] = await once(server, 'connection');
  if (!far) throw new Error('There is no connection');
  return {
    near,
    far,
    async [Symbol.asyncDispose]() {
      near.destroy();
      far.destroy();
      server.close();
    },
  };
}

/** An inbox that treats every message of the connection as the answer to its last request. */
function inboxOn(near: Socket) {
  let reply = '';
  async function* replies(): AsyncGenerator<Msg> {
    for await (const data of near) yield { subject: reply, data } as Msg;
  }
  const connection = {
    nc: { subscribe: replies },
    isUp: () => true,
    onDown: () => undefined,
    onDenied: () => undefined,
  } as unknown as Connection;
  const send: Sender = (message) => {
    reply = message.reply ?? '';
  };
  return openReplyInbox({ connection, caller: 'tasks', instance: 'x', send, log: silentLog });
}

/** Blocks the thread, so that nothing else runs meanwhile. */
const stall = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const request = { owner: 'auth', subject: 'rpc.v1.auth.tasks.boats.echo', payload: '' } as const;

test('an answer that arrives during a stall of the process counts, even if the deadline has passed', async () => {
  await using sockets = await socketPair();
  const answer = inboxOn(sockets.near).request({ ...request, timeoutMs: 50 });

  sockets.far.write('answer');
  stall(200);

  await expect(answer.then(({ data }) => String(data))).resolves.toBe('answer');
});

test('a request without an answer is a timeout', async () => {
  await using sockets = await socketPair();

  const answer = inboxOn(sockets.near).request({ ...request, timeoutMs: 20 });

  await expect(answer).rejects.toMatchObject({ code: 'timeout' });
});
