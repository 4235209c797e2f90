import { implement } from '@berth/bus/rpc/implement';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import type { ReadingStore } from '../../store/store.ts';
import { lostClaim } from '../transitions/finish-task.ts';

/** Operations that other services call before they give a runner access to anything. */
export const claimCheckHandlers = ({ store }: { store: Pick<ReadingStore, 'leases'> }) =>
  implement(taskClaims, {
    get: async ({ body: { task_id, fence } }) => {
      const held = await store.leases.held(task_id, fence);
      if (!held) throw lostClaim();
      return held;
    },
  });
