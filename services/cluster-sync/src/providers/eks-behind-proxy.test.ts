import { startConnectProxy } from '@berth/testing/network/connect-proxy';
import { expect, onTestFinished, test } from 'vitest';
import { eksProvider } from './eks-clusters.ts';

test('the API of EKS is asked through the proxy', async () => {
  await using proxy = await startConnectProxy('403 Forbidden');
  const variables = {
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    AWS_ACCESS_KEY_ID: 'sample',
    AWS_SECRET_ACCESS_KEY: 'sample',
  };
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });

  const { unread } = await eksProvider({ regions: ['eu-west-1'] }, 60_000).find(AbortSignal.timeout(30_000));

  expect(unread).toHaveLength(1);
  expect(proxy.tunnels[0]).toMatchObject({ target: 'eks.eu-west-1.amazonaws.com:443' });
});
