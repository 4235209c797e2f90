import { describe, expect, test } from 'vitest';
import { ingressValues } from './ingress-values.ts';

const cluster = {
  name: 'prod',
  ingress_domain: 'apps.example.com',
  ingress_class: 'nginx',
  ingress_tls_secret_name: 'wildcard',
};
const target = { cluster, name: 'blue', namespace: 'web-blue' };

describe('ingressValues', () => {
  test('names the host by kind and deployment name', () => {
    expect(ingressValues(target, 'KindAndName')).toEqual({
      enabled: true,
      className: 'nginx',
      hosts: [{ host: 'web-blue.apps.example.com', paths: [{ path: '/', pathType: 'Prefix' }] }],
      tls: [{ secretName: 'wildcard', hosts: ['web-blue.apps.example.com'] }],
    });
  });

  test.for([
    ['by the deployment name alone if the chart says so', { ...target }, 'blue.apps.example.com'],
    [
      'by the namespace if the deployment has no name',
      { ...target, name: '', namespace: 'web' },
      'web.apps.example.com',
    ],
  ] as const)('names the host %s', ([, named, host]) => {
    expect(ingressValues(named, 'Name')).toMatchObject({ hosts: [{ host }] });
  });

  test('is disabled if the cluster has no TLS secret', () => {
    const bare = { ...target, cluster: { ...cluster, ingress_tls_secret_name: null } };

    expect(ingressValues(bare, 'KindAndName')).toEqual({ enabled: false, className: null, hosts: [], tls: [] });
  });

  test('names the missing domain', () => {
    const half = { ...target, cluster: { ...cluster, ingress_domain: null } };

    expect(() => ingressValues(half, 'KindAndName')).toThrow('set its ingress_domain');
  });
});
