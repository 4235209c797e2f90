import { expect, test } from 'vitest';
import type { FindKind } from '../cluster/api-kinds.ts';
import { type CheckedPlace, refusalsOf } from './refusals-of.ts';
import { factsOf } from './facts-of.ts';

const scopes: Record<string, boolean> = { ConfigMap: true, ClusterRole: false, Ship: true };
const findKind: FindKind = async ({ apiVersion, kind }) => {
  const namespaced = scopes[kind];
  return namespaced === undefined
    ? null
    : { path: `/apis/${apiVersion}`, plural: `${kind.toLowerCase()}s`, namespaced };
};
/** The account may create what the role of deployments covers, in its namespace. */
const mayCreate = async ({ resource, namespace }: { resource: string; namespace: string | null }) =>
  namespace === 'own' && resource === 'configmaps';

const object = (kind: string, namespace?: string) =>
  JSON.stringify({ apiVersion: 'v1', kind, metadata: { name: 'x', ...(namespace && { namespace }) } });
const manifests = [
  object('ConfigMap'),
  object('ConfigMap', 'other'),
  object('ClusterRole'),
  object('Ship'),
  object('Unknown', 'other'),
].join('\n---\n');

const refused = async (place: Partial<CheckedPlace> = {}) => {
  const found = await refusalsOf(
    factsOf(manifests),
    { namespace: 'own', hosts: undefined, ...place },
    { findKind, mayCreate },
  );
  return found.map(({ kind, namespace }) => `${kind} in ${namespace}`);
};

test.for<[string, Partial<CheckedPlace>, string[]]>([
  ['a deploy', {}, ['ConfigMap in other', 'ClusterRole in null', 'Ship in own']],
  ['a plan of a namespace that does not exist', { isAbsent: true }, ['ConfigMap in other', 'ClusterRole in null']],
  ['a plan with a grant in the namespace', { unbound: ['Namespace'] }, ['ConfigMap in other', 'ClusterRole in null']],
  ['a plan with a grant in the cluster', { unbound: ['Cluster'] }, []],
  ['a shared account', { isShared: true }, ['ConfigMap in other', 'ClusterRole in null']],
])('objects beyond the known rights of the account are refused to %s', async ([, place, expected]) => {
  expect(await refused(place)).toEqual(expected);
});

test('the cluster is asked only once about each kind in each namespace', async () => {
  const asked: string[] = [];
  const facts = factsOf(Array.from({ length: 50 }, () => object('ConfigMap')).join('\n---\n'));

  await refusalsOf(
    facts,
    { namespace: 'own', hosts: undefined },
    {
      findKind,
      mayCreate: async ({ resource }) => asked.push(resource) > 0,
    },
  );

  expect(asked).toEqual(['configmaps']);
});

test('a chart with more than a hundred versions of APIs is refused before the cluster is asked about one', async () => {
  const versions = Array.from({ length: 101 }, (_, index) => ({
    apiVersion: `example.com/v${index}`,
    kind: 'Unknown',
    metadata: { name: 'x' },
  }));
  const facts = factsOf(versions.map((one) => JSON.stringify(one)).join('\n---\n'));
  const asked: string[] = [];
  const find: FindKind = async ({ apiVersion }) => (asked.push(apiVersion), null);

  await expect(
    refusalsOf(facts, { namespace: 'own', hosts: undefined }, { findKind: find, mayCreate }),
  ).rejects.toThrow('more than 100 versions of APIs');
  expect(asked).toEqual([]);
});

test('a chart with objects in a hundred and one namespaces is refused', async () => {
  const facts = factsOf(Array.from({ length: 101 }, (_, index) => object('ConfigMap', `n${index}`)).join('\n---\n'));

  await expect(refusalsOf(facts, { namespace: 'own', hosts: undefined }, { findKind, mayCreate })).rejects.toThrow(
    'more than 100 kinds',
  );
});
