import { expect, test } from 'vitest';
import { openKubeApi } from './kube-api.ts';

test('a malformed client certificate fails each request, but not the call that sets up the connections', async () => {
  const certificate = { cert: 'no certificate', key: 'no key' };
  using api = openKubeApi({ server: 'https://127.0.0.1:9', ca: null, token: null, certificate });
  const call = { signal: AbortSignal.timeout(5_000), deadlineMs: 5_000 };

  await expect(api.getText('/readyz', call)).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_OSSL/) });
  await expect(api.getText('/readyz', call)).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_OSSL/) });
});
