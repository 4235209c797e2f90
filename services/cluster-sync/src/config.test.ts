import { expect, test } from 'vitest';
import { Config } from './config.ts';
import { configuredProviders } from './providers/configured-providers.ts';

const required = { NATS_URL: 'nats://127.0.0.1:4222', NATS_PASSWORD: 'x', DATABASE_URL: 'postgres://127.0.0.1/berth' };
const read = (settings: Record<string, string> = {}) => Config.parse({ ...required, ...settings });

const kubeconfigs = { run: () => Promise.reject(new Error('not read here')) };

const prefixes = (providers: readonly { prefix: string }[]) => providers.map(({ prefix }) => prefix);

test('each configured source of clusters is a separate provider', () => {
  const { configured, unconfigured } = configuredProviders(
    read({
      CLUSTER_KUBECONFIG: '/kubeconfig',
      CLUSTER_OWN_NAME: 'here',
      CLUSTER_SECRETS_NAMESPACE: 'clusters',
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      CLUSTER_EKS_REGIONS: 'all',
    }),
    kubeconfigs,
  );

  expect(prefixes(configured)).toEqual(['kubeconfig:', 'own:', 'secret:', 'arn:']);
  expect(unconfigured).toEqual([]);
});

test('an unconfigured source finds nothing, so its earlier clusters are flagged', async () => {
  const { configured, unconfigured } = configuredProviders(read(), kubeconfigs);

  expect(configured).toEqual([]);
  expect(prefixes(unconfigured)).toEqual(['kubeconfig:', 'own:', 'secret:', 'arn:']);
  for (const provider of unconfigured) {
    expect(await provider.find(AbortSignal.timeout(1_000))).toEqual({ clusters: [], unread: [] });
  }
});

test('a cluster that is found is ignored at first unless the configuration says otherwise', () => {
  expect(read().ignoreNew).toBe(true);
  expect(read({ CLUSTERS_IGNORE_NEW: 'false' }).ignoreNew).toBe(false);
});

test('lists of the configuration are separated by commas', () => {
  const config = read({ CLUSTER_CONTEXTS: 'one, two,', CLUSTER_KUBECONFIG_ALLOW: 'tokenFile' });

  expect(config.contexts).toEqual(['one', 'two']);
  expect(config.allowed).toEqual(new Set(['tokenFile']));
  expect(read().contexts).toBeNull();
});

test.for([
  [
    'a field of a kubeconfig that cannot be allowed',
    { CLUSTER_KUBECONFIG_ALLOW: 'auth-provider' },
    'CLUSTER_KUBECONFIG_ALLOW',
  ],
  ['exec without programs', { CLUSTER_KUBECONFIG_ALLOW: 'exec' }, 'CLUSTER_KUBECONFIG_EXEC_COMMANDS'],
  [
    'a program that would be looked up in a path',
    { CLUSTER_KUBECONFIG_ALLOW: 'exec', CLUSTER_KUBECONFIG_EXEC_COMMANDS: 'aws' },
    'CLUSTER_KUBECONFIG_EXEC_COMMANDS',
  ],
  ['an invalid region', { CLUSTER_EKS_REGIONS: 'eu-west-1, Frankfurt!' }, 'CLUSTER_EKS_REGIONS'],
  ['the own cluster without its address', { CLUSTER_OWN_NAME: 'here' }, 'KUBERNETES_SERVICE_HOST'],
  [
    'accounts of deployments in a namespace of Kubernetes',
    { CLUSTER_DEPLOYERS_NAMESPACE: 'kube-system' },
    'CLUSTER_DEPLOYERS_NAMESPACE',
  ],
  ['a rate of 0 for writing credentials', { CREDENTIAL_WRITES_PER_SECOND: '0' }, 'CREDENTIAL_WRITES_PER_SECOND'],
] as const)('the configuration of cluster-sync refuses %s', ([, settings, setting]) => {
  expect(() => read(settings)).toThrow(setting);
});
