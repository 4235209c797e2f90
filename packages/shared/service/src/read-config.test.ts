import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from './read-config.ts';

const Config = z.object({
  NATS_URL: z.url(),
  CONCURRENCY: z.coerce.number().int().min(1).default(4),
  MODE: z.enum(['a', 'b']),
});

test('the configuration is the environment, transformed by its schema', () => {
  expect(readConfig(Config, { NATS_URL: 'nats://x:4222', MODE: 'a', HOME: '/root' })).toEqual({
    NATS_URL: 'nats://x:4222',
    CONCURRENCY: 4,
    MODE: 'a',
  });
});

test('an invalid configuration names every invalid variable and its rule, and no value', () => {
  const read = () => readConfig(Config, { NATS_URL: 'hunter2', CONCURRENCY: 'hunter3', MODE: 'hunter4' });

  expect(read).toThrow(/NATS_URL: .*URL.*\n.*CONCURRENCY: .*\n.*MODE: .*/);
  expect(read).not.toThrow(/hunter/);
});

test('a setting is read from the file that NAME_FILE names, without its last line break', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'url');
  await writeFile(file, 'nats://x:4222\n');

  expect(readConfig(Config, { NATS_URL_FILE: file, MODE: 'a' })).toMatchObject({ NATS_URL: 'nats://x:4222' });
});

test('files of unrelated variables are not read', () => {
  const environment = { NATS_URL: 'nats://x:4222', MODE: 'a', SSL_CERT_FILE: '/nowhere/ca.pem' };

  expect(readConfig(Config, environment)).toMatchObject({ MODE: 'a' });
});
