import { describe, expect, test } from 'vitest';
import { countsOf, cutWords, groupsOf, type PlannedObject, risksOf, valueWords } from './plan-summary.ts';

const object = (action: PlannedObject['action'], changes: Partial<PlannedObject> = {}): PlannedObject => ({
  action,
  cluster_id: 'c',
  api_version: 'v1',
  kind: 'ConfigMap',
  namespace: 'n',
  name: action,
  reason: null,
  fields: [],
  ...changes,
});

const field = (path: string) => ({ path, before: 1, after: 2, hidden: false });

test('each object is in one group, and groups that stop the task come first', () => {
  const objects = (['keep', 'create', 'change', 'delete', 'replace', 'blocked', 'change'] as const).map((a) =>
    object(a),
  );

  const groups = groupsOf({ objects });

  expect(groups.map(({ action, objects: inside }) => [action, inside.length])).toEqual([
    ['blocked', 1],
    ['replace', 1],
    ['delete', 1],
    ['change', 2],
    ['create', 1],
    ['keep', 1],
  ]);
  expect(countsOf({ objects: [object('create')], unchanged: 6 })).toBe('1 created · 6 unchanged');
  expect(countsOf({ objects: [object('create')], unchanged: 0 })).toBe('1 created');
});

describe('the risks of a plan', () => {
  const words = (objects: PlannedObject[]) => risksOf({ objects, contested: [] }).map((risk) => risk.words);

  test('name what stops the task before losses and restarts', () => {
    const restarting = object('change', { kind: 'Deployment', name: 'web', fields: [field('/spec/template/spec/a')] });
    expect(words([restarting, object('delete'), object('blocked'), object('create')])).toEqual([
      'The task would fail at ConfigMap blocked',
      'Deletes ConfigMap delete',
      'Restarts the pods of Deployment web',
    ]);
  });

  test('leave out a change that starts no new pods', () => {
    expect(words([object('change', { kind: 'Deployment', fields: [field('/spec/replicas')] })])).toEqual([]);
    expect(words([object('change', { kind: 'Service', fields: [field('/spec/template/x')] })])).toEqual([]);
  });

  test('say what else a deletion removes', () => {
    const objects = [object('delete', { kind: 'Namespace', name: 'old' })];
    expect(risksOf({ objects, contested: [] })[0]?.detail).toBe('with everything in it');
  });

  test('name the fields that are taken back, without values that are hidden', () => {
    const contested = {
      ...object('change', { kind: 'Deployment', name: 'web' }),
      path: '/spec/replicas',
      manager: 'kubectl (scale)',
      becomes: 'taken_back' as const,
      live: 5,
      chart: 3,
      hidden: false,
    };
    const all = [contested, { ...contested, hidden: true }, { ...contested, becomes: 'kept' as const }];
    expect(risksOf({ objects: [], contested: all }).map(({ words: said, detail }) => [said, detail])).toEqual([
      ['Takes /spec/replicas of Deployment web back from kubectl (scale)', '5 in the cluster, 3 by the chart'],
      ['Takes /spec/replicas of Deployment web back from kubectl (scale)', null],
    ]);
  });
});

test('a plan says what was left out, if anything was', () => {
  expect(cutWords({ objects: 0, fields: 0, values: 0, hooks: 0 })).toBeNull();
  expect(cutWords({ objects: 2, fields: 0, values: 7, hooks: 0 })).toBe(
    'Not shown, to keep the plan small: 2 objects, 7 values.',
  );
});

test.each([
  [undefined, 'absent'],
  ['a', 'a'],
  [null, 'null'],
  [{ a: [1] }, '{"a":[1]}'],
])('the value %j is written as %s', (value, words) => {
  expect(valueWords(value)).toBe(words);
});
