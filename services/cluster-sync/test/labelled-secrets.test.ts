import { WorkRefused } from '@berth/untrusted-work/work-refused';
import { afterAll, expect, test } from 'vitest';
import { kubeconfigWork } from '../src/providers/kubeconfig-work.ts';
import { type LabelledSecretsOptions, labelledSecretsProvider } from '../src/providers/labelled-secrets.ts';
import { startFakeApiServer } from '@berth/devstack/testing/fake-api-server';

type Kubeconfigs = LabelledSecretsOptions['kubeconfigs'];

const work = kubeconfigWork();
afterAll(() => work[Symbol.asyncDispose]());

const secretOf = (name: string, kubeconfig: string) => ({
  metadata: { name },
  data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
});

/** The parser compares each key with all before it. */
const manyKeys = `{${Array.from({ length: 60_000 }, (_, n) => `k${n}: 1`).join(', ')}}`;

const kubeconfigWith = (contexts: number) =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443' } }],
    users: [{ name: 'u', user: { token: 'abc' } }],
    contexts: Array.from({ length: contexts }, (_, n) => ({ name: `x${n}`, context: { cluster: 'c', user: 'u' } })),
  });

const find = async (items: object[]) => (await findTwice(items))[0];

/** What the provider finds in two reads of a namespace with these Secrets. */
async function findTwice(items: object[], kubeconfigs: Kubeconfigs = work) {
  await using server = await startFakeApiServer();
  server.misbehave = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
    return true;
  };
  const token = { source: 'test', current: async () => ({ token: 'fake', expiresAt: '2030-01-01T00:00:00Z' }) };
  const access = async () => ({ access: { ...server.access, token: null }, token });
  const provider = labelledSecretsProvider({ access, namespace: 'here', allowed: new Set(), kubeconfigs }, 1_000);
  const signal = AbortSignal.timeout(30_000);
  return [await provider.find(signal), await provider.find(signal)] as const;
}

test('too many labelled Secrets are refused, and the reason names the limit', async () => {
  const secrets = Array.from({ length: 501 }, (_, n) => ({ metadata: { name: `secret-${n}` } }));

  await expect(find(secrets)).rejects.toThrow('more than 500 Secrets in here have the label berth.dev/cluster');
});

test('a Secret whose YAML takes minutes, or has thousands of contexts, does not hide the clusters of the others', async () => {
  const secrets = [
    secretOf('bomb', manyKeys),
    secretOf('many', kubeconfigWith(501)),
    secretOf('text', 'no kubeconfig'),
    secretOf('good', kubeconfigWith(1)),
  ];

  const { clusters, unread } = await find(secrets);

  expect(clusters.map(({ provider_id }) => provider_id)).toEqual(['secret:here/good:x0']);
  expect(unread).toEqual([
    { prefix: 'secret:here/bomb:', reason: 'the Secret bomb: it cannot be read' },
    { prefix: 'secret:here/many:', reason: 'the Secret many: the kubeconfig has more than 500 contexts' },
    { prefix: 'secret:here/text:', reason: expect.stringContaining('the Secret text: this is not a kubeconfig') },
  ]);
});

test('a Secret that a busy machine could not read is read again, although it has not changed', async () => {
  let isBusy = true;
  const run: typeof work.run = (...args) => {
    if (!isBusy) return work.run(...args);
    isBusy = false;
    return Promise.reject(new WorkRefused('busy', 'too much work'));
  };

  const [first, second] = await findTwice([secretOf('good', kubeconfigWith(1))], { run });

  expect(first).toMatchObject({ clusters: [], unread: [{ prefix: 'secret:here/good:' }] });
  expect(second).toMatchObject({ clusters: [{ provider_id: 'secret:here/good:x0' }], unread: [] });
});
