import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLog } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { type Connection, openConnection } from '../../connection/connection.ts';
import { listenToOwnVoice } from './own-voice.ts';

let nats: TestNats;
let connection: Connection;

beforeAll(async () => {
  nats = await startTestNats();
  // The library logs the end of its read loop to the console.
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await nats?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  connection = await openConnection({ servers: [nats.url], caller: 'tasks', password: nats.password, log: silentLog });
});

afterEach(() => connection.nc.close());

/** Ends the read loop of the connection: any exception in a callback of the library does. */
async function makeDeaf({ nc }: Connection): Promise<void> {
  nc.subscribe('self.v1.tasks.deaf', {
    callback: () => {
      throw new Error('thrown into the read loop');
    },
  });
  nc.publish('self.v1.tasks.deaf');
  await expect(
    Promise.race([nc.flush(), new Promise((_, reject) => setTimeout(reject, 200, new Error('deaf')))]),
  ).rejects.toThrow('deaf');
}

describe('the connection check', () => {
  test('receives messages that it sends to itself', async () => {
    const publish = vi.spyOn(connection.nc, 'publish');
    const voice = listenToOwnVoice({ connection, caller: 'tasks', instance: 'x', log: silentLog, intervalMs: 200 });

    await expect.poll(() => publish.mock.calls.length).toBeGreaterThan(5);

    await expect.poll(() => voice.isHeard()).toBe(true);
    await voice.stop();
  });

  test("makes a connection that receives nothing reconnect, long before the library's pings detect it", async () => {
    const voice = listenToOwnVoice({ connection, caller: 'tasks', instance: 'x', log: silentLog, intervalMs: 500 });
    let reconnects = 0;
    connection.onUp(() => {
      reconnects += 1;
    });
    await makeDeaf(connection);

    await expect.poll(() => reconnects).toBeGreaterThan(0);
    await connection.nc.flush();

    await expect.poll(() => voice.isHeard()).toBe(true);
    await voice.stop();
  });

  test('reports after three missed messages that only a restart helps', async () => {
    const mute: Connection = {
      ...connection,
      nc: Object.assign(Object.create(connection.nc), { reconnect: async () => undefined, publish: () => undefined }),
    };
    const voice = listenToOwnVoice({
      connection: mute,
      caller: 'tasks',
      instance: 'x',
      log: silentLog,
      intervalMs: 10,
    });

    await expect.poll(() => voice.isHeard()).toBe(false);

    await voice.stop();
  });
});
