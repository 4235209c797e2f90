import { Budget, formLimits } from '@berth/chart-extensions/budget/budget';
import { describe, expect, test } from 'vitest';
import { resolveValues, type ValuesWorld } from './resolve-values.ts';

const sample: Omit<ValuesWorld, 'budget'> = {
  env: { id: 'e1', name: 'staging', node_selector: { pool: 'apps' }, tolerations: [{ key: 'apps' }] },
  cluster: {
    id: 'c1',
    name: 'prod',
    ingress_domain: 'apps.example.com',
    ingress_class: 'nginx',
    ingress_tls_secret_name: 'wildcard',
  },
  deployment: { id: 'd1', name: 'blue', kind: 'Web', namespace: 'web-blue' },
  revisionId: 't1',
  ownUrl: 'https://berth.example.com',
  features: {
    ingress: { enabled: false, hostname_format: 'KindAndName' },
    node_selector_paths: [],
    tolerations_paths: [],
  },
  config: { replicas: 2 },
  outputs: { replicaCount: 2 },
  override: null,
};

/** Fresh for each case, since outputs become part of the values. */
const resolve = (fields: Partial<ValuesWorld> = {}) =>
  resolveValues({ ...structuredClone(sample), budget: new Budget(), ...fields });

const berth = {
  env_id: 'e1',
  env_name: 'staging',
  cluster_id: 'c1',
  cluster_name: 'prod',
  deployment_id: 'd1',
  deployment_name: 'blue',
  deployment_kind: 'Web',
  revision_id: 't1',
  own_url: 'https://berth.example.com',
};

describe('resolveValues', () => {
  test('injects placement and the info block beside the outputs', () => {
    expect(resolve()).toEqual({
      nodeSelector: { pool: 'apps' },
      tolerations: [{ key: 'apps' }],
      berth,
      platz: {
        ...berth,
        // As upstream, the row of the cluster, without what changes by itself.
        cluster: {
          id: 'c1',
          env_id: 'e1',
          name: 'prod',
          ingress_domain: 'apps.example.com',
          ingress_class: 'nginx',
          ingress_tls_secret_name: 'wildcard',
        },
      },
      replicaCount: 2,
    });
  });

  test('puts the config under the key config if the chart has no inputs', () => {
    expect(resolve({ outputs: null })).toMatchObject({ config: { replicas: 2 } });
  });

  test('adds no placement if the env has none', () => {
    const values = resolve({ env: { ...sample.env, node_selector: null, tolerations: null } });

    expect(Object.keys(values)).toEqual(['berth', 'platz', 'replicaCount']);
  });

  test('injects the ingress section only if the chart has an ingress feature', () => {
    const features = { ...sample.features, ingress: { enabled: true, hostname_format: 'Name' as const } };

    expect(resolve({ features })).toMatchObject({
      ingress: { hosts: [{ host: 'blue.apps.example.com' }] },
    });
    expect(resolve()).not.toHaveProperty('ingress');
  });

  test('merges the outputs over the injected values', () => {
    const values = resolve({ outputs: { nodeSelector: { disk: 'ssd' }, berth: { env_name: 'mine' } } });

    expect(values).toMatchObject({
      nodeSelector: { pool: 'apps', disk: 'ssd' },
      berth: { ...berth, env_name: 'mine' },
    });
  });

  test('merges the extra placement paths over the outputs', () => {
    const values = resolve({
      features: {
        ...sample.features,
        node_selector_paths: [['db', 'nodeSelector']],
        tolerations_paths: [['db', 'tolerations']],
      },
      outputs: { db: { size: 1, nodeSelector: { pool: 'db' } } },
    });

    expect(values).toMatchObject({ db: { size: 1, nodeSelector: { pool: 'apps' }, tolerations: [{ key: 'apps' }] } });
  });

  test('merges the override over everything', () => {
    const override = {
      replicaCount: 5,
      nodeSelector: { pool: null },
      berth: { own_url: 'x' },
      db: { nodeSelector: 'none' },
    };
    const values = resolve({
      features: { ...sample.features, node_selector_paths: [['db', 'nodeSelector']] },
      override,
    });

    expect(values).toMatchObject(override);
  });

  test('refuses values too large for an answer to a runner, however they grew', () => {
    const tolerations = [{ key: 'x'.repeat(100_000) }];
    const tolerations_paths = Array.from({ length: 100 }, (_, index) => [`t${index}`]);
    const budget = new Budget();

    expect(() =>
      resolve({
        env: { ...sample.env, tolerations },
        features: { ...sample.features, tolerations_paths },
        budget,
      }),
    ).toThrow('The values and Secrets of the deployment would be larger than 2621440 bytes');
    expect(budget.spent.bytes).toBeLessThan(formLimits.bytes + 200_000);
  });
});
