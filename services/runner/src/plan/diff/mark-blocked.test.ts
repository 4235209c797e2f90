import { expect, test } from 'vitest';
import type { Refusal } from '../../manifests/refuse-object.ts';
import { markBlocked } from './mark-blocked.ts';

const reason = 'lies outside of namespaces';
const refusals: Refusal[] = [
  { apiVersion: 'v1', kind: 'ClusterRole', namespace: null, name: 'x', reason, isGrantable: true },
];

test('a plan blocks objects that would be refused, and only mentions them if the account is shared', () => {
  const planned = {
    action: 'create' as const,
    api_version: 'v1',
    kind: 'ClusterRole',
    namespace: null,
    name: 'x',
    reason: null,
    fields: [],
  };

  expect(markBlocked([planned], refusals)).toMatchObject([
    { action: 'blocked', reason: expect.stringContaining('cluster-role-grants') },
  ]);
  expect(markBlocked([], refusals)).toHaveLength(1);
  expect(markBlocked([planned], refusals, { isShared: true })).toMatchObject([
    { action: 'create', reason: 'Would be refused: it lies outside of namespaces' },
  ]);
});
