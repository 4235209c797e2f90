import { implement } from '@berth/bus/rpc/implement';
import {
  type ResourceCall,
  type ResourceCallResult,
  resourceCalls,
} from '@berth/contracts/resources/tasks/resource-calls';
import type { Service } from '@berth/service/service';
import { backOffMs } from '@berth/contracts/back-off';
import { internalError } from '@berth/contracts/resources/tasks/internal-error';
import { completeClaimed } from '../../completing/complete-claimed.ts';
import type { DueCall } from '../../store/resources/resource-call-repository.ts';
import type { InTransaction } from '../../store/store.ts';
import { callFor, type CallForDeps } from './call-for.ts';
import { reinstallDependents } from '../reinstall-dependents.ts';
import { afterEvent, isForDependents, pendingOperation, type SyncEvent } from '../sync/sync.ts';
import { syncOf, withSync } from '../sync/sync-of.ts';
import { callableOf } from '../type-spec.ts';

export interface ResourceCallHandlersDeps extends CallForDeps {
  inTransaction: InTransaction;
  notifyRunners: () => void;
  log: Service['log'];
}

/** A call takes at most a minute. After this time its runner counts as lost, and the call is repeated. */
const leaseMs = 90_000;
const pauses = { firstMs: 5_000, longestMs: 300_000, jitter: 0.2 };
/** All attempts together take about half an hour. */
const maxAttempts = 12;
const slowMs = 5_000;

/** Operations for runners, which create, update and delete resources at their managing deployments. */
export const resourceCallHandlers = (deps: ResourceCallHandlersDeps) =>
  implement(resourceCalls, {
    claim: async ({ body }, { remainingMs }) => {
      const started = await deps.inTransaction((store) => start(store, deps, body));
      const { jobs, failed } = await completeClaimed<Started, ResourceCall>(started, {
        remainingMs,
        log: deps.log,
        idOf: ({ id }) => ({ resource_id: id }),
        bugReason: internalError.beforeCall,
        complete: async (due, deadlineMs) => ({
          resource_id: due.id,
          fence: due.fence,
          call: await callFor(deps, due, deadlineMs()),
        }),
      });
      // A call that could not be prepared counts as an attempt, too.
      for (const { row, reason } of failed) {
        await record(deps, { resource_id: row.id, fence: row.fence, took_ms: 0, outcome: 'Retry', reason });
      }
      return { calls: jobs };
    },

    report: async ({ body }) => {
      for (const result of body.results) await record(deps, result);
      return null;
    },
  });

type Store = Parameters<Parameters<InTransaction>[0]>[0];
type Started = DueCall & { fence: number };

/** Leases the due calls. Changes that need no call are completed here. */
async function start(
  store: Store,
  { notifyRunners }: Pick<ResourceCallHandlersDeps, 'notifyRunners'>,
  { lane, places: most }: { lane: 'quick' | 'slow'; places: number },
): Promise<Started[]> {
  const started: Started[] = [];
  for (const due of await store.resourceCalls.lockDue(lane, most)) {
    const callable = callableOf(due.spec);
    const sync = afterEvent({ ...syncOf(due), call: 'none' }, 'call starts', callable);
    const operation = pendingOperation(syncOf(due));
    if (!sync || operation === null) continue;
    if (callable[operation]) {
      const fence = await store.resourceChanges.saveStart({ id: due.id, known: sync.known }, leaseMs);
      started.push({ ...due, known: sync.known, fence });
      continue;
    }
    // A newer chart no longer has this call.
    const done = afterEvent(sync, 'call succeeds', callable);
    if (!done) continue;
    const saved = await store.resourceChanges.saveSync({ ...withSync(due, done), sync_reason: null, attempts: 0 });
    if (isForDependents('call succeeds', done) && (await reinstallDependents(store, saved, due.key)) > 0)
      notifyRunners();
  }
  return started;
}

const events = { Done: 'call succeeds', Retry: 'call fails for now', Failed: 'call fails for good' } as const;

/** Records the outcome of a call once; a claim that was taken over changes nothing. */
async function record(
  { inTransaction, notifyRunners }: Pick<ResourceCallHandlersDeps, 'inTransaction' | 'notifyRunners'>,
  { resource_id, fence, took_ms, outcome, reason }: ResourceCallResult,
): Promise<void> {
  const tasks = await inTransaction(async (store) => {
    const before = await store.resources.lock(resource_id);
    if (!before?.is_live || before.fence !== fence) return 0;
    const type = await store.resourceTypes.find(before.type_id, 'all');
    if (!type) return 0;
    const registered =
      before.deployment_id === null ? null : await store.resourceTypes.registeredSpec(type.id, before.deployment_id);
    const attempts = before.attempts + 1;
    const isLast = outcome === 'Retry' && attempts >= maxAttempts && !before.is_outdated;
    const event: SyncEvent = isLast ? 'call fails for good' : events[outcome];
    const sync = afterEvent(syncOf(before), event, callableOf(registered ?? type.spec));
    if (!sync) return 0;

    const isRepeated = event === 'call fails for now' && !before.is_outdated;
    const words = isLast ? `${reason ?? 'It failed'} (${attempts} attempts)` : reason;
    const saved = await store.resourceChanges.saveSync(
      {
        ...withSync(before, sync),
        sync_reason: outcome === 'Done' || before.is_outdated ? null : words,
        attempts: isRepeated ? attempts : 0,
        is_slow: took_ms > slowMs,
      },
      { dueInMs: isRepeated ? backOffMs(pauses, attempts) : 0 },
    );
    return isForDependents(event, sync) ? reinstallDependents(store, saved, type.key) : 0;
  });
  if (tasks > 0) notifyRunners();
}
