import type { JsonObject } from '@berth/contracts/fields/json';
import { expect, test } from 'vitest';
import { factsOf } from './facts-of.ts';
import { refuseObject } from './refuse-object.ts';

const own = 'shop.apps.example.com';
const allowed = { namespace: 'web-shop', hosts: { own, domain: 'apps.example.com', berth: ['berth.example.com'] } };

interface Place {
  goesTo?: string | null;
  mayCreate?: boolean | null;
}

function refusalOf(object: JsonObject | string, { goesTo = 'web-shop', mayCreate = true }: Place = {}) {
  const text = typeof object === 'string' ? object : JSON.stringify(object);
  const [facts] = factsOf(text).objects;
  return facts && refuseObject({ ...facts, goesTo, mayCreate }, allowed)?.reason;
}

const object = (kind: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind,
  metadata: { name: 'x', ...metadata },
  spec,
});
const ingress = (...hosts: string[]) => object('Ingress', { rules: hosts.map((host) => ({ host })) });

test.for([
  ['its own host', ingress(own)],
  ['its own host in capitals', ingress('Shop.Apps.Example.com.')],
  ['a host outside of the domain of the cluster', ingress('shop.example.org')],
  ['an Ingress without rules', object('Ingress')],
  ['a route with its own host', object('HTTPRoute', { hostnames: [own] })],
  ['a Service', object('Service', { ports: [] })],
  ['hosts in an object of another kind', object('ConfigMap', { rules: [{ host: 'berth.example.com' }] })],
] as const)('a chart may have %s', ([, content]) => {
  expect(refusalOf(content)).toBeUndefined();
});

test.for<[string, JsonObject]>([
  ['with the name of a record', { name: 'sh.helm.release.v1.web-shop.v9' }],
  ['with the label of a record', { labels: { owner: 'helm', name: 'web-shop' } }],
])('a chart may not have a Secret %s of Helm, which would do what it says', ([, metadata]) => {
  expect(refusalOf(object('Secret', {}, metadata))).toBe(
    'would be a record of a Helm release, which Helm alone writes',
  );
  expect(refusalOf(object('ConfigMap', {}, metadata))).toBeUndefined();
});

const annotated = (name: string, hosts: string) =>
  object('Ingress', { rules: [{ host: own }] }, { annotations: { [name]: hosts } });

test.for([
  ['the host of Berth', ingress(own, 'berth.example.com')],
  ['the host of Berth in capitals', ingress('BERTH.example.com')],
  ['a wildcard above the host of Berth', ingress('*.example.com')],
  ['the host of another deployment', ingress('other.apps.example.com')],
  ['the domain itself', ingress('apps.example.com')],
  ['a wildcard of the domain', ingress('*.apps.example.com')],
  ['a rule without a host', object('Ingress', { rules: [{ host: own }, {}] })],
  ['a default backend', object('Ingress', { rules: [{ host: own }], defaultBackend: {} })],
  [
    'a certificate for another host',
    object('Ingress', { rules: [{ host: own }], tls: [{ hosts: ['a.apps.example.com'] }] }),
  ],
  ['an alias', annotated('nginx.ingress.kubernetes.io/server-alias', `${own}, berth.example.com`)],
  ['a name in the DNS', annotated('external-dns.alpha.kubernetes.io/hostname', 'other.apps.example.com')],
  ['a route without hosts', object('HTTPRoute', { hostnames: [] })],
  ['a route with the host of another', object('GRPCRoute', { hostnames: ['other.apps.example.com'] })],
  ['a route of TLS with the host of Berth', object('TLSRoute', { hostnames: ['berth.example.com'] })],
  ['a gateway for the host of Berth', object('Gateway', { listeners: [{ hostname: 'berth.example.com' }] })],
  ['addresses of others', object('Service', { externalIPs: ['10.0.0.1'] })],
] as const)('a chart may not have %s', ([, content]) => {
  expect(refusalOf(content)).toEqual(expect.any(String));
});

test.for([
  [null, 'lies outside of namespaces'],
  ['default', 'is in the namespace default'],
  [
    'web-shop',
    'is of a kind (Role of rbac.authorization.k8s.io/v1) that the ClusterRole berth-deployer does not cover',
  ],
] as const satisfies [string | null, string][])(
  'an object that the account may not create in %s is refused with the reason',
  ([goesTo, reason]) => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r' } };

    expect(refusalOf(role, { goesTo, mayCreate: false })).toBe(reason);
    expect(refusalOf(role, { goesTo, mayCreate: true })).toBeUndefined();
    expect(refusalOf(role, { goesTo, mayCreate: null })).toBeUndefined();
  },
);

test.for([
  ['a kind that is given twice', 'apiVersion: v1\nkind: Secret\n"kind": ConfigMap\nmetadata: { name: x }\n'],
  [
    'a namespace that is given twice',
    'apiVersion: v1\nkind: Secret\nmetadata: { name: x, namespace: a, "namespace": b }\n',
  ],
  ['a namespace that is not text', 'apiVersion: v1\nkind: Secret\nmetadata: { name: x, namespace: [a] }\n'],
  ['a kind that is `!!binary`', 'apiVersion: v1\nkind: !!binary U2VjcmV0\nmetadata: { name: x }\n'],
  [
    'a host that is `!!binary`',
    'apiVersion: v1\nkind: Ingress\nmetadata: { name: x }\nspec: { rules: [{ host: !!binary YS5i }] }\n',
  ],
  ['text', 'just text\n'],
] as const)('YAML with %s is not read as an object', ([, yaml]) => {
  expect(factsOf(yaml)).toEqual({ objects: [], unreadable: 1, upstreamCredentials: null });
});

test.for([
  ['does not name them', 'kind: Pod, spec: { volumes: [{ secret: { secretName: service-creds } }] }', null],
  ['refers to them', 'kind: Pod, spec: { volumes: [{ secret: { secretName: platz-creds } }] }', 'referred'],
  ['brings its own', 'kind: Secret', 'own'],
] as const)('the credentials under their upstream name, where a release %s', ([, object, expected]) => {
  const name = expected === 'own' ? 'platz-creds' : 'web';

  expect(factsOf(`{ apiVersion: v1, metadata: { name: ${name} }, ${object} }`).upstreamCredentials).toBe(expected);
});

test('each item of a List is an object', () => {
  const items = [ingress(own), ingress('berth.example.com')];

  expect(factsOf(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })).objects.map(({ hosts }) => hosts)).toEqual([
    [own],
    ['berth.example.com'],
  ]);
});
