import { describe, expect, test } from 'vitest';
import type { FoundCluster } from '../providers/cluster-provider.ts';
import { discoveryPlan } from './discovery-plan.ts';

const options = { ignoreNew: true, vanished: 'no longer there', unread: [] };
const one: FoundCluster = { provider_id: 'kubeconfig:one', name: 'one', region_name: 'r', refused: null };
const known = { id: 'id-1', provider_id: 'kubeconfig:one', name: 'one', region_name: 'r' };

describe('discoveryPlan', () => {
  test('adds a new cluster, ignored unless configured otherwise', () => {
    const { refused: _, ...row } = one;

    expect(discoveryPlan([one], [], options).upsert).toEqual([{ ...row, ignore: true }]);
    expect(discoveryPlan([one], [], { ...options, ignoreNew: false }).upsert).toEqual([{ ...row, ignore: false }]);
  });

  test('plans nothing for an unchanged cluster', () => {
    expect(discoveryPlan([one], [known], options)).toEqual({ upsert: [], unusable: [] });
  });

  test('renames a cluster whose name changed', () => {
    expect(discoveryPlan([{ ...one, name: 'uno' }], [known], options).upsert).toMatchObject([{ name: 'uno' }]);
  });

  test('keeps a cluster that vanished, as unusable', () => {
    expect(discoveryPlan([], [known], options)).toEqual({
      upsert: [],
      unusable: [{ id: 'id-1', reason: 'no longer there' }],
    });
  });

  test('leaves a cluster alone if its part of the source could not be read', () => {
    const unread = [{ prefix: 'kubeconfig:o', reason: 'no answer' }];

    expect(discoveryPlan([], [known], { ...options, unread })).toEqual({ upsert: [], unusable: [] });
    expect(discoveryPlan([], [{ ...known, provider_id: 'kubeconfig:two' }], { ...options, unread })).toMatchObject({
      unusable: [{ reason: 'no longer there' }],
    });
  });

  test('records why a cluster with a row is refused', () => {
    const refused = { ...one, refused: 'the user field exec is not accepted' };

    expect(discoveryPlan([refused], [], options)).toMatchObject({ upsert: [{ name: 'one' }], unusable: [] });
    expect(discoveryPlan([refused], [known], options).unusable).toEqual([
      { id: 'id-1', reason: 'the user field exec is not accepted' },
    ]);
  });
});
