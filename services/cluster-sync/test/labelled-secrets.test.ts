import { expect, test } from 'vitest';
import { labelledSecretsProvider } from '../src/providers/labelled-secrets.ts';
import { startFakeApiServer } from './support/fake-api-server.ts';

test('too many labelled Secrets are refused, and the reason names the limit', async () => {
  await using server = await startFakeApiServer();
  server.misbehave = (_, response) => {
    const items = Array.from({ length: 501 }, (__, n) => ({ metadata: { name: `secret-${n}` } }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
    return true;
  };
  const token = { source: 'test', current: async () => ({ token: 'fake', expiresAt: '2030-01-01T00:00:00Z' }) };
  const access = async () => ({ access: { ...server.access, token: null }, token });

  const { find } = labelledSecretsProvider({ access, namespace: 'here', allowed: new Set() }, 1_000);

  await expect(find(AbortSignal.timeout(30_000))).rejects.toThrow(
    'more than 500 Secrets in here have the label berth.dev/cluster',
  );
});
