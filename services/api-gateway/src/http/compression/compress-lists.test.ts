import { gunzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { Config } from '../../config.ts';
import { compressLists } from './compress-lists.ts';

const list = Buffer.from('a list '.repeat(10_000));

/** An answer to a client that accepts gzip, and its headers. */
async function send(compress: ReturnType<typeof compressLists>, json: Uint8Array = list) {
  const sent: Record<string, string> = {};
  const request = { headers: { 'accept-encoding': 'gzip' } } as unknown as FastifyRequest;
  const reply = {
    getHeader: (name: string) => sent[name],
    header: (name: string, value: string) => (sent[name] = value),
  } as unknown as FastifyReply;
  return { body: await compress(request, reply, json), headers: sent };
}

test('a limited number of lists are compressed at a time; others are sent uncompressed', async () => {
  const compress = compressLists({ fromBytes: 100, most: 2 });

  const answers = await Promise.all([send(compress), send(compress), send(compress)]);
  expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', 'gzip', undefined]);
  expect(answers[2]?.body).toBe(list);
  expect(answers[2]?.headers).toEqual({ vary: 'accept-encoding' });

  const { body, headers } = await send(compress);
  expect(headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(body).equals(list)).toBe(true);
});

test('lists are compressed from 8 KiB by default, and never with 0', async () => {
  const env = { NATS_URL: 'nats://127.0.0.1:4222', NATS_PASSWORD: 'x', SERVICE_OWN_URL: 'https://berth.example.test' };
  const usual = compressLists({ fromBytes: Config.parse(env).compressFromBytes });
  const none = compressLists({ fromBytes: Config.parse({ ...env, COMPRESS_FROM_BYTES: '0' }).compressFromBytes });

  const encodingOf = async (compress: ReturnType<typeof compressLists>, bytes: number) =>
    (await send(compress, Buffer.alloc(bytes, ' '))).headers['content-encoding'];
  expect([await encodingOf(usual, 8_191), await encodingOf(usual, 8_192)]).toEqual([undefined, 'gzip']);
  expect(await encodingOf(none, 1_000_000)).toBeUndefined();
});
