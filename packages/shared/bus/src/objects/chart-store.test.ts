import { createHash, randomBytes } from 'node:crypto';
import { Objm } from '@nats-io/obj';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Bus } from '../bus.ts';
import { chartStream } from './chart-store.ts';

let nats: TestNats;
let scanner: Bus;
let reader: Bus;
let operator: NatsConnection;

beforeAll(async () => {
  nats = await startTestNats();
  [scanner, reader, operator] = await Promise.all([
    connectTestBus(nats, 'registry-scan'),
    connectTestBus(nats, 'registry-scan'),
    connect({ servers: nats.url, user: nats.administratorOf(chartStream), pass: nats.password }),
  ]);
});

afterAll(async () => {
  await operator?.close();
  await Promise.all([scanner, reader].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
});

const archive = (bytes: number) => {
  const content = randomBytes(bytes);
  return { content, digest: `sha256:${createHash('sha256').update(content).digest('hex')}` };
};

test('without a chart bucket, archives are missing', async () => {
  const { digest } = archive(1);

  await expect(reader.objects.get(digest)).resolves.toBeNull();
});

test.for([0, 1, 200_000, 3_000_000])('an archive of %i bytes comes back as it was', async (size) => {
  const { content, digest } = archive(size);

  await scanner.objects.put(digest, content);

  expect(Buffer.compare((await reader.objects.get(digest)) ?? Buffer.alloc(1), content)).toBe(0);
});

test('an archive can be stored again, while another is still missing', async () => {
  const { content, digest } = archive(1_000);
  await scanner.objects.put(digest, content);

  await scanner.objects.put(digest, content);

  await expect(reader.objects.get(digest)).resolves.not.toBeNull();
  await expect(reader.objects.get(archive(5).digest)).resolves.toBeNull();
});

test('an archive that does not match its digest is refused on put, counts as missing on get, and is replaced', async () => {
  const { content, digest } = archive(100);
  await expect(scanner.objects.put(digest, randomBytes(100))).rejects.toThrow('digest');
  const bucket = await new Objm(operator).open('charts');
  await bucket.putBlob({ name: digest }, randomBytes(100));

  await expect(reader.objects.get(digest)).resolves.toBeNull();

  await scanner.objects.put(digest, content);
  await expect(reader.objects.get(digest)).resolves.not.toBeNull();
});

test('an archive of more than 20 MiB is refused', async () => {
  const { content, digest } = archive(20 * 1024 * 1024 + 1);

  await expect(scanner.objects.put(digest, content)).rejects.toMatchObject({ code: 'too_large' });
});

test('a runner can neither write nor read chart archives', async () => {
  const { content, digest } = archive(10);
  await using runner = await connectTestBus(nats, 'runner');

  await expect(runner.objects.put(digest, content)).rejects.toThrow(/permission/i);
  await expect(runner.objects.get(digest)).rejects.toThrow(/permission/i);
});

test('reading an archive can be aborted', async () => {
  const { content, digest } = archive(3_000_000);
  await scanner.objects.put(digest, content);

  await expect(reader.objects.get(digest, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'timeout' });
});

test('a full chart bucket is purged to make room for the current archive', async () => {
  await new Objm(operator).open('charts').then((bucket) => bucket.destroy());
  await new Objm(operator).create('charts', { max_bytes: 3_000_000 });
  const [first, second, third] = [archive(1_200_000), archive(1_200_000), archive(1_200_000)];
  for (const { digest, content } of [first, second, third]) await scanner.objects.put(digest, content);

  await expect(reader.objects.get(third.digest)).resolves.toEqual(third.content);
  await expect(reader.objects.get(first.digest)).resolves.toBeNull();
});
