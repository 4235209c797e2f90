import { expect, test } from 'vitest';
import { detailOf, resourceTree, stateOfResource } from './resource-tree.ts';

const object = (id: string, kind: string, parent?: string, more: object = {}) =>
  ({
    id,
    kind,
    name: id,
    status_color: [],
    metadata: { ...(parent && { parent: { resource_id: parent } }), ...more },
  }) as never;

test('objects are listed below their owners, starting with the kinds that people look for first', () => {
  const rows = [
    object('svc', 'Service'),
    object('p2', 'Pod', 'rs'),
    object('rs', 'ReplicaSet', 'web'),
    object('web', 'Deployment'),
    object('p1', 'Pod', 'rs'),
  ];

  expect(resourceTree(rows).map(({ resource, depth }) => `${depth} ${resource.id}`)).toEqual([
    '0 web',
    '1 rs',
    '2 p1',
    '2 p2',
    '0 svc',
  ]);
});

test('objects that own each other, or whose owner is not tracked, are shown as well', () => {
  const rows = [object('a', 'Pod', 'b'), object('b', 'Pod', 'a'), object('c', 'Pod', 'gone')];

  expect(
    resourceTree(rows)
      .map(({ resource }) => resource.id)
      .toSorted(),
  ).toEqual(['a', 'b', 'c']);
});

test('the state of an object is that of its worst replica', () => {
  const state = (...colors: string[]) => stateOfResource({ status_color: colors } as never);

  expect(state('Success', 'Danger')).toEqual({ tone: 'bad', word: '1 of 2 well' });
  expect(state('Success', 'Primary')).toEqual({ tone: 'busy', word: '1 of 2 ready' });
  expect(state('Success')).toEqual({ tone: 'ok', word: 'ready' });
  expect(state()).toBeNull();
});

test('details leave out what is normal', () => {
  expect(detailOf(object('p', 'Pod', undefined, { summary: { phase: 'Running', ready: '1/1', restarts: 0 } }))).toBe(
    '1/1 ready',
  );
  expect(detailOf(object('p', 'Pod', undefined, { summary: { phase: 'Pending', restarts: 2 } }))).toBe(
    'Pending · 2 restarts',
  );
});
