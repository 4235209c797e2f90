import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { expect, test } from 'vitest';
import type { NamespaceRecord } from '../namespaces/namespace-record.ts';
import { findOrMake } from './find-or-make.ts';

const deployment_id = '0d6bd0e4-0d5e-4d1c-8d5c-0c6a5ab8b9a1';
const wanted = {
  clusterId: 'one',
  name: 'web-shop',
  deployment_id,
  task_id: 'plan',
  fence: 1,
  makes: false,
  isFirst: true,
  adopts: false,
  deploymentName: 'shop',
  kind: 'Web',
  labels: {},
  hostname: null,
};
const { signal } = new AbortController();
const api = {
  getJson: async () => ({
    metadata: { name: 'web-shop', uid: 'u1', annotations: { [namespaceAnnotations.mark]: 'm1' } },
  }),
  postJson: async () => Promise.reject(new Error('a plan makes nothing')),
};

/** Answers with these records in order, the last one repeatedly. */
function repositoryOf(...records: (NamespaceRecord | null)[]) {
  return {
    find: async () => (records.length > 1 ? records.shift() : records[0]) ?? null,
    insert: async (_: unknown, next: NamespaceRecord) => next,
    replace: async (_at: unknown, _read: NamespaceRecord, next: NamespaceRecord) => records.splice(0, 1, next) && next,
  };
}

test('a plan that reads while the first deploy records and makes the namespace finds its own namespace, and no foreign one', async () => {
  const namespaceRepository = repositoryOf(null, { deployment_id, mark: 'm1', uid: null });

  expect(await findOrMake({ namespaceRepository, api, signal }, wanted)).toMatchObject({ state: 'entered' });
});

test('a namespace without a record is foreign, and does not count as a replaced one', async () => {
  expect(await findOrMake({ namespaceRepository: repositoryOf(null), api, signal }, wanted)).toEqual({
    state: 'foreign',
    isReplaced: false,
  });
});
