import { AppError } from '@berth/contracts/errors';
import { expect, test } from 'vitest';
import { ClusterLeaseLost } from '../../clusters/cluster-lease-lost.ts';
import { type ClusterChanges, saveInGroups } from './save-in-groups.ts';

const lease = { name: 'l', holder: 'me', fence: 1, ttlMs: 30_000, until: 0 };
const changesOf = (clusterId: string, rows = 1): ClusterChanges => ({
  clusterId,
  lease,
  changes: Array.from({ length: rows }, (_, n) => ({ uid: `${clusterId} ${n}` })),
});
const outcomes = (works: Promise<void>[]) =>
  Promise.all(works.map((work) => work.then(() => 'saved').catch((error: unknown) => error)));

/** A database that is busy until it is released. */
function slowDatabase(failing: (ids: string[]) => Error | undefined = () => undefined, lost = new Set<string>()) {
  const groups: string[][] = [];
  const free = Promise.withResolvers<void>();
  return {
    groups,
    free: free.resolve,
    async saveTogether(group: readonly ClusterChanges[]) {
      const ids = group.map(({ clusterId }) => clusterId);
      groups.push(ids);
      await free.promise;
      const failure = failing(ids);
      if (failure) throw failure;
      return lost;
    },
  };
}

test('changes that arrive while all transactions are busy are saved in one', async () => {
  const database = slowDatabase();
  const save = saveInGroups({ ...database, atOnce: 2 });

  const works = ['a', 'b', 'c', 'd', 'e'].map((id) => save(changesOf(id)));
  expect(database.groups).toEqual([['a'], ['b']]);
  database.free();

  expect(await outcomes(works)).toEqual(['saved', 'saved', 'saved', 'saved', 'saved']);
  expect(database.groups).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
});

test('a transaction of several clusters has a limited number of rows; that of a single cluster does not', async () => {
  const database = slowDatabase();
  const save = saveInGroups({ ...database, atOnce: 1, mostRows: 200 });

  const works = [
    save(changesOf('a')),
    ...['b', 'c', 'd'].map((id) => save(changesOf(id, 100))),
    save(changesOf('e', 300)),
  ];
  database.free();
  await outcomes(works);

  expect(database.groups).toEqual([['a'], ['b', 'c'], ['d'], ['e']]);
});

test('a cluster whose lease is lost gets an error, and the others are saved', async () => {
  const database = slowDatabase(undefined, new Set(['b']));
  const save = saveInGroups({ ...database, atOnce: 1 });

  const works = ['first', 'a', 'b', 'c'].map((id) => save(changesOf(id)));
  database.free();

  expect(await outcomes(works)).toEqual(['saved', 'saved', expect.any(ClusterLeaseLost), 'saved']);
});

test('rows that the database refuses do not block other clusters', async () => {
  const refusal = new Error('invalid byte sequence');
  const database = slowDatabase((ids) => (ids.includes('bad') ? refusal : undefined));
  const save = saveInGroups({ ...database, atOnce: 1 });

  const works = ['first', 'a', 'bad', 'c'].map((id) => save(changesOf(id)));
  database.free();

  expect(await outcomes(works)).toEqual(['saved', 'saved', refusal, 'saved']);
});

test('an outage of the database fails a group at once, without an attempt for each cluster', async () => {
  const outage = new AppError('unavailable', 'The database is not available');
  const database = slowDatabase(() => outage);
  const save = saveInGroups({ ...database, atOnce: 1 });

  const works = ['first', 'a', 'b'].map((id) => save(changesOf(id)));
  database.free();

  expect(await outcomes(works)).toEqual([outage, outage, outage]);
  expect(database.groups).toEqual([['first'], ['a', 'b']]);
});
