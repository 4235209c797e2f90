import { startConnectProxy } from '@berth/testing/network/connect-proxy';
import { afterEach, expect, test, vi } from 'vitest';
import { createEcrApi } from './ecr-api.ts';
import { createSqsQueue } from './sqs-queue.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const signal = () => AbortSignal.timeout(60_000);
const queue = 'https://sqs.eu-west-1.amazonaws.com/123456789012/charts';

test.for<[string, string, () => Promise<unknown>]>([
  [
    'the API of ECR',
    'api.ecr.eu-west-1.amazonaws.com:443',
    async () => {
      using api = createEcrApi({ account: '123456789012', region: 'eu-west-1' }, () => undefined);
      return await api.repositories(signal());
    },
  ],
  [
    'a queue of SQS',
    'sqs.eu-west-1.amazonaws.com:443',
    async () => {
      using sqs = createSqsQueue({ url: queue, deadLetterUrl: `${queue}-dead`, region: 'eu-west-1' }, () => undefined);
      return await sqs.receive(60_000, signal());
    },
  ],
])('%s is asked through the proxy alone', async ([, target, ask]) => {
  await using proxy = await startConnectProxy('403 Forbidden');
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'sample');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'sample');

  await expect(ask()).rejects.toThrow(/^ECR of|^the queue/);

  expect(new Set(proxy.tunnels.map((tunnel) => tunnel.target))).toEqual(new Set([target]));
});
