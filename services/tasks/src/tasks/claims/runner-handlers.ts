import { implement } from '@berth/bus/rpc/implement';
import { runnerTasks } from '@berth/contracts/resources/tasks/runner-tasks';
import { boundLog } from '../logs/bound-log.ts';
import { saveWait } from './save-wait.ts';
import { type ClaimDeps, claimTask } from './claim-task.ts';
import { finishTask, lostClaim } from '../transitions/finish-task.ts';

export interface RunnerHandlersDeps extends ClaimDeps {
  notifyRunners: () => void;
  /** New lines in a log, or its end. */
  hintLog: (taskId: string) => void;
}

/** The operations that runners call. Every write names its claim by the fence; writes of an older claim change nothing. */
export const runnerHandlers = (deps: RunnerHandlersDeps) => {
  const { store, inTransaction, policy, notifyRunners, hintLog, metrics, log } = deps;
  const { leaseMs } = policy;
  const claim = claimTask(deps);

  return implement(runnerTasks, {
    claim: ({ body }, { remainingMs }) => claim(body, remainingMs),

    heartbeat: async ({ body }) => {
      const { task_id, fence, helm_begins } = body;
      const renewed = helm_begins
        ? await store.leases.helmBegins({ task_id, fence }, leaseMs)
        : await store.leases.renew(task_id, fence, leaseMs);
      if (!renewed) throw lostClaim();
      if (body.awaits === 'readiness' && !renewed.awaits_readiness) {
        await store.leases.leaveSlot({ id: task_id, fence });
        notifyRunners();
      }
      if (body.waits_for !== renewed.reason) {
        const wait = { ...body, deployment_id: renewed.deployment_id };
        // The lease is already renewed; failing to record the reason must not lose the claim.
        await inTransaction((tx) => saveWait(tx, wait)).catch((error: unknown) =>
          log.warn({ err: error, task_id: body.task_id }, 'failed to record what a task waits for'),
        );
      }
      return { lease_ms: leaseMs, cancel_requested: renewed.cancel_requested };
    },

    append_log: async ({ body }) => {
      await inTransaction(async ({ logChanges }) => {
        const state = await logChanges.lock(body.task_id, body.fence);
        if (!state) throw lostClaim();
        const { lines, state: after } = boundLog(state, body);
        if (lines.length > 0) await logChanges.append(body.task_id, state.lines, lines);
        await logChanges.save(body.task_id, after);
      });
      hintLog(body.task_id);
      return null;
    },

    finish: async ({ body }) => {
      metrics.ended(await inTransaction((tx) => finishTask(tx, body, policy)));
      hintLog(body.task_id);
      notifyRunners();
      return null;
    },
  });
};
