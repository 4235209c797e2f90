import { lockTask } from '../../src/queue/lock-task.ts';
import { lockToEnd } from '../../src/queue/lock-to-end.ts';
import type { Lock, Locks } from './deciders.ts';

/** Runs production code that locks rows, with a store that only records the locks. */
export async function recordLocks(): Promise<Locks> {
  let noted: Lock[] = [];
  const note = (what: Lock) => async () => {
    noted.push(what);
    return null;
  };
  const store = {
    tasks: {
      find: async () => ({ id: 't', deployment_id: 'd', status: 'Started' as const, reason: null }),
      lock: note('task'),
      clusterToReturnTo: async () => 'c',
    },
    deployments: {
      lock: note('deployment'),
      hold: note('held deployment'),
      holdWithDependents: async () => void (await note('held with dependents')()),
    },
    projected: { holdCluster: note('cluster') },
  };
  const locksOf = async (work: () => Promise<unknown>): Promise<Lock[]> => {
    noted = [];
    await work();
    return noted;
  };
  return {
    finishDone: await locksOf(() => lockToEnd(store, 't', true)),
    finishOther: await locksOf(() => lockToEnd(store, 't')),
    cancel: ['cluster', ...(await locksOf(() => lockTask(store, 't')))],
  };
}
