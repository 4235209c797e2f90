import { expect, test } from 'vitest';
import { Config } from './config.ts';
import { configuredProviders } from './providers/configured-providers.ts';

const required = { NATS_URL: 'nats://127.0.0.1:4222', NATS_PASSWORD: 'x', DATABASE_URL: 'postgres://127.0.0.1/berth' };
const read = (settings: Record<string, string> = {}) => Config.parse({ ...required, ...settings });

test('every source of clusters is a provider, configured or not, and no two have the same ids', () => {
  const prefixes = configuredProviders(read()).map(({ prefix }) => prefix);

  expect(prefixes).toEqual(['kubeconfig:', 'own:', 'secret:', 'arn:']);
});

test('a source without configuration finds nothing, so clusters that it found before are flagged', async () => {
  for (const provider of configuredProviders(read())) {
    expect(await provider.find(AbortSignal.timeout(1_000))).toEqual({ clusters: [], unread: [] });
  }
});

test('lists of the configuration are separated by commas', () => {
  const config = read({ CLUSTER_CONTEXTS: 'one, two,', CLUSTER_KUBECONFIG_ALLOW: 'tokenFile' });

  expect(config.contexts).toEqual(['one', 'two']);
  expect(config.allowed).toEqual(new Set(['tokenFile']));
  expect(read().contexts).toBeNull();
});

test.for([
  ['a field of a kubeconfig that cannot be allowed', { CLUSTER_KUBECONFIG_ALLOW: 'exec' }, 'CLUSTER_KUBECONFIG_ALLOW'],
  ['a region that is none', { CLUSTER_EKS_REGIONS: 'eu-west-1, Frankfurt!' }, 'CLUSTER_EKS_REGIONS'],
  ['the own cluster without its address', { CLUSTER_OWN_NAME: 'here' }, 'KUBERNETES_SERVICE_HOST'],
  ['no writes of credentials at all', { CREDENTIAL_WRITES_PER_SECOND: '0' }, 'CREDENTIAL_WRITES_PER_SECOND'],
] as const)('the configuration of cluster-sync refuses %s', ([, settings, setting]) => {
  expect(() => read(settings)).toThrow(setting);
});
