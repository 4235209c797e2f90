import { describe, expect, test } from 'vitest';
import { kubeAccessOf } from './kube-access.ts';
import { parseKubeconfig } from './kubeconfig.ts';

const config = (cluster: object = {}, user: object = {}) =>
  parseKubeconfig(
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443/', ...cluster } }],
      users: [{ name: 'u', user: { token: 'abc', ...user } }],
      contexts: [{ name: 'ctx', context: { cluster: 'c', user: 'u', namespace: 'x' } }],
      'current-context': 'ctx',
    }),
  );

const refusalOf = (cluster: object, user: object) => {
  const result = kubeAccessOf(config(cluster, user), 'ctx');
  return 'refused' in result ? result.refused : 'accepted';
};

describe('kubeAccessOf', () => {
  test('gives the server and the token of a context', () => {
    expect(kubeAccessOf(config(), 'ctx')).toEqual({
      access: { server: 'https://127.0.0.1:6443', ca: null, token: 'abc', certificate: null },
    });
  });

  test('keeps the path of a server behind a proxy', () => {
    const result = kubeAccessOf(config({ server: 'https://rancher.example/k8s/clusters/c-1/' }), 'ctx');

    expect(result).toHaveProperty('access.server', 'https://rancher.example/k8s/clusters/c-1');
  });

  test('treats an empty field as absent', () => {
    expect(refusalOf({ 'insecure-skip-tls-verify': false, 'proxy-url': '' }, { exec: null })).toBe('accepted');
  });

  test('accepts a field that is refused by default only if the operator allows it', () => {
    const cluster = { 'insecure-skip-tls-verify': true };
    const both = config(cluster, { tokenFile: '/run/token' });

    expect(kubeAccessOf(both, 'ctx', new Set(['insecure-skip-tls-verify', 'tokenFile']))).toEqual({
      access: {
        server: 'https://127.0.0.1:6443',
        ca: null,
        token: null,
        certificate: null,
        tokenFile: '/run/token',
        isInsecure: true,
      },
    });
    expect(kubeAccessOf(both, 'ctx', new Set(['tokenFile']))).toEqual({
      refused: 'the cluster field insecure-skip-tls-verify is not accepted',
    });
    expect(kubeAccessOf(both, 'ctx', new Set(['insecure-skip-tls-verify']))).toEqual({
      refused: 'the user field tokenFile is not accepted',
    });
  });

  test('reads a proxy and a token program if the operator allows them', () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/usr/bin/issue',
      args: ['token'],
      env: [{ name: 'PROFILE', value: 'prod' }],
      interactiveMode: 'IfAvailable',
    };
    const both = config({ 'proxy-url': 'http://me:secret@proxy.example:3128' }, { token: '', exec });

    expect(kubeAccessOf(both, 'ctx', new Set(['proxy-url', 'exec']))).toMatchObject({
      access: {
        token: null,
        proxyUrl: 'http://me:secret@proxy.example:3128',
        exec: { command: '/usr/bin/issue', args: ['token'], env: { PROFILE: 'prod' } },
      },
    });
  });

  const v1 = { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/issue' };
  test.for<[string, object, object]>([
    ['proxy-url is not an http or https URL', { 'proxy-url': 'socks5://proxy.example' }, { token: 'abc' }],
    ['exec goes with no other credential', {}, { exec: v1, token: 'abc' }],
    ['exec cannot be used: exec.apiVersion is not accepted', {}, { exec: { ...v1, apiVersion: 'v1alpha1' } }],
    ['exec cannot be used: exec.provideClusterInfo is not accepted', {}, { exec: { ...v1, provideClusterInfo: true } }],
    ['exec cannot be used: exec.interactiveMode is not accepted', {}, { exec: { ...v1, interactiveMode: 'Always' } }],
    ['exec cannot be used: exec.extra is not accepted', {}, { exec: { ...v1, extra: 'secret' } }],
    ['the user field auth-provider is not accepted', {}, { 'auth-provider': { name: 'gcp' } }],
  ])('%s, though proxy-url and exec are allowed', ([refusal, cluster, user]) => {
    const allowed = new Set(['proxy-url', 'exec'] as const);

    expect(kubeAccessOf(config(cluster, { token: '', ...user }), 'ctx', allowed)).toEqual({ refused: refusal });
  });

  test.for<[string, object, object]>([
    ['the user field exec is not accepted', {}, { exec: { command: 'aws' } }],
    ['the user field auth-provider is not accepted', {}, { 'auth-provider': { name: 'gcp' } }],
    ['the user field tokenFile is not accepted', {}, { tokenFile: '/etc/shadow' }],
    ['the user field client-key is not accepted', {}, { 'client-key': '/etc/shadow' }],
    ['the user field username is not accepted', {}, { username: 'admin' }],
    ['the user field as is not accepted', {}, { as: 'admin' }],
    ['the cluster field proxy-url is not accepted', { 'proxy-url': 'http://evil' }, {}],
    ['the cluster field insecure-skip-tls-verify is not accepted', { 'insecure-skip-tls-verify': true }, {}],
    ['the cluster field certificate-authority is not accepted', { 'certificate-authority': '/x' }, {}],
    ['tls-server-name differs from the server', { 'tls-server-name': 'other.example' }, {}],
    ['server is not an https URL', { server: 'http://127.0.0.1' }, {}],
    ['server is not an https URL', { server: 'nonsense' }, {}],
    ['server carries a credential', { server: 'https://me:secret@127.0.0.1' }, {}],
    ['its user has neither a token nor a client certificate', {}, { token: '' }],
    ['token is not a text', {}, { token: 5 }],
    ['certificate-authority-data is not base64 of a PEM document', { 'certificate-authority-data': 'eHg=' }, {}],
    ['client-certificate-data and client-key-data go together', {}, { 'client-key-data': btoa('-----BEGIN X') }],
    [
      'its certificates or key cannot be read, or do not belong together',
      { 'certificate-authority-data': btoa('-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----') },
      {},
    ],
  ])('%s', ([refusal, cluster, user]) => {
    expect(refusalOf(cluster, user)).toBe(refusal);
  });

  test('refuses a context that is not in the file', () => {
    expect(kubeAccessOf(config(), 'other')).toEqual({ refused: 'there is no such context' });
  });
});

describe('parseKubeconfig', () => {
  test.for([
    ['text that is not YAML', 'token: "sekret\n  - :', 'the kubeconfig is not valid YAML'],
    ['a document of another shape', 'clusters: sekret', 'this is not a kubeconfig: clusters: Invalid input'],
  ] as const)('refuses %s without quoting it', ([, text, words]) => {
    expect(() => parseKubeconfig(text)).toThrow(words);
    expect(() => parseKubeconfig(text)).not.toThrow(/sekret/);
  });

  test('reads an empty kubeconfig as one without contexts', () => {
    expect(parseKubeconfig('apiVersion: v1\nkind: Config\ncontexts: null\n').contexts).toEqual([]);
  });

  test('refuses a document whose aliases expand exponentially', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`;

    expect(() => parseKubeconfig(bomb)).toThrow('not valid YAML');
  });
});
