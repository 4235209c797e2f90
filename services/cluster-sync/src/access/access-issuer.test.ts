import { openKubeApi } from '@berth/kube/kube-api';
import { type KubeAccess, kubeAccessOf } from '@berth/kube/kube-access';
import { parseKubeconfig } from '@berth/kube/kubeconfig';
import { expect, test } from 'vitest';
import { ownAccessIssuer } from './access-issuer.ts';

const access: KubeAccess = { server: 'https://127.0.0.1:6443', ca: null, token: 'static', certificate: null };
const issueOwn = async (
  changes: Partial<KubeAccess>,
  token: Parameters<ReturnType<typeof ownAccessIssuer>>[0]['token'],
) => {
  using api = openKubeApi(access);
  return ownAccessIssuer({ accessSeconds: 600 })(
    { api, access: { ...access, ...changes }, token },
    AbortSignal.timeout(1_000),
  );
};
const accessIn = (kubeconfig: string) =>
  kubeAccessOf(parseKubeconfig(kubeconfig), 'berth', new Set(['insecure-skip-tls-verify']));

test('the own credential of a cluster is passed on unchanged, with the options that the operator allows', async () => {
  const { kubeconfig, expires_at } = await issueOwn({ isInsecure: true }, null);

  expect(accessIn(kubeconfig)).toEqual({ access: { ...access, isInsecure: true } });
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(590_000);
});

test('a changing credential is passed on as its current token, with its own expiry', async () => {
  const expiresAt = '2030-01-01T00:00:00.000Z';
  const { kubeconfig, expires_at } = await issueOwn(
    { token: null },
    { source: 'eks', current: async () => ({ token: 'of now', expiresAt }) },
  );

  expect(accessIn(kubeconfig)).toEqual({ access: { ...access, token: 'of now' } });
  expect(expires_at).toBe(expiresAt);
});
