import { beforeEach, expect, test } from 'vitest';
import { createHeldBackObjects, type HeldBackObjects } from './held-back-objects.ts';
import type { ObservedObject } from '../objects/observed-object.ts';

const object = (uid: string, more: Partial<ObservedObject> = {}): ObservedObject => ({
  uid,
  namespace: 'new',
  kind: 'Pod',
  api_version: 'v1',
  name: uid,
  status_color: [],
  metadata: {},
  ...more,
});
const uids = (objects: ObservedObject[]) => objects.map(({ uid }) => uid);

let heldBack: HeldBackObjects;

beforeEach(() => {
  heldBack = createHeldBackObjects(3);
});

test('held-back objects are taken once, by namespace', () => {
  heldBack.put(object('a'));
  heldBack.put(object('b', { namespace: 'other' }));

  expect(uids(heldBack.take('new'))).toEqual(['a']);
  expect(heldBack.take('new')).toEqual([]);
  expect(uids(heldBack.take('other'))).toEqual(['b']);
});

test('held-back objects are kept in their newest state', () => {
  for (const name of ['1', '2', '3', '4', '5']) heldBack.put(object('a', { name }));

  expect(heldBack.take('new').map(({ name }) => name)).toEqual(['5']);
  expect(heldBack.isIncomplete()).toBe(false);
});

test('held-back objects are removed one by one, or all of a kind', () => {
  heldBack.put(object('a'));
  heldBack.put(object('b', { kind: 'Service' }));
  heldBack.put(object('c'));

  heldBack.remove('a');
  heldBack.removeKind('Service');

  expect(uids(heldBack.take('new'))).toEqual(['c']);
});

test('held-back objects beyond the limit are dropped; the set is incomplete until a list of namespaces started later ends', () => {
  const endOfEarlierList = heldBack.startRecovery();
  for (const uid of ['a', 'b', 'c', 'd']) heldBack.put(object(uid));
  expect(heldBack.isIncomplete()).toBe(true);

  endOfEarlierList();
  expect(heldBack.isIncomplete()).toBe(true);
  const endOfList = heldBack.startRecovery();
  expect(heldBack.isIncomplete()).toBe(true);
  endOfList();

  expect(heldBack.isIncomplete()).toBe(false);
  expect(uids(heldBack.take('new'))).toEqual(['d']);
});
