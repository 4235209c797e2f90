import { expect, test } from 'vitest';
import { Config } from './config.ts';

const required = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_PASSWORD: 'for NATS',
  DATABASE_URL: 'postgres://tasks@127.0.0.1/berth',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  SERVICE_OWN_URL: 'https://berth.example.com/',
};
const read = (settings: Record<string, string> = {}) => Config.parse({ ...required, ...settings });

test('a claim lasts 30 s, a task has three attempts, and the namespace berth is reserved, unless the configuration says otherwise', () => {
  expect(read()).toMatchObject({ leaseMs: 30_000, maxAttempts: 3, reserved: ['berth'] });
  expect(read({ TASK_LEASE_SECONDS: '5', TASK_MAX_ATTEMPTS: '1', RESERVED_NAMESPACES: 'ours, theirs' })).toMatchObject({
    leaseMs: 5_000,
    maxAttempts: 1,
    reserved: ['ours', 'theirs'],
  });
});

test('the numbers of tasks that work on one cluster and on all are settings', () => {
  expect(read({ TASKS_PER_CLUSTER: '7', TASKS_IN_ALL: '70' }).limits).toMatchObject({ perCluster: 7, inAll: 70 });
});
