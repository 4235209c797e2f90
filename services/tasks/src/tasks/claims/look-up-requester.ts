import { unpackIdentity } from '@berth/bus/identity-tokens/pack-identity';
import type { Bus } from '@berth/bus/bus';
import { identities } from '@berth/contracts/resources/accounts/identities';
import type { Service } from '@berth/service/service';
import type { Requester } from '../../records/requester.ts';
import type { InTransaction, ReadingStore } from '../../store/store.ts';
import type { Current } from './requester-rights.ts';
import type { ClaimOptions } from '../../store/starting/claim-repository.ts';

/** The next scheduled task, with the present rights of its requester. */
export interface CheckedRequester {
  taskId: string;
  /** Null if no requester is known, and for deployments, whose rights are read at the start. */
  current: Current | null;
}

export interface LookUpDeps {
  store: Pick<ReadingStore, 'tasks'>;
  inTransaction: InTransaction;
  bus: Pick<Bus, 'call'>;
  log: Service['log'];
}

const pauseMs = 5_000;
/** Time for the claim after this call. */
const reserveMs = 800;
const patienceMs = 1_000;
const leastMs = 100;

const notNow =
  'The rights of its requester cannot be checked now, since the service auth does not answer; it is tried again';

/**
 * Looks up, before the transaction of a claim, the scheduled task that may be next, if any. While auth does not answer, all
 * due scheduled tasks wait and other tasks start.
 */
export async function lookUpRequester(
  deps: LookUpDeps,
  options: Pick<ClaimOptions, 'limits' | 'continuesWaits'>,
  remainingMs: () => number,
): Promise<CheckedRequester | null> {
  if (!(await deps.store.tasks.isAnyCheckDue())) return null;
  const next = await deps.inTransaction(({ claims }) => claims.nextCheck(options));
  if (!next) return null;
  const { id: taskId, requester } = next;
  if (!requester || requester.kind === 'deployment') return { taskId, current: null };

  const deadlineMs = Math.min(patienceMs, remainingMs() - reserveMs);
  if (deadlineMs < leastMs) return null;
  try {
    return { taskId, current: await currentRights(deps.bus, { ...requester, kind: requester.kind }, deadlineMs) };
  } catch (error) {
    deps.log.warn({ err: error, task_id: taskId }, 'the requester of a scheduled task could not be looked up');
    await deps.inTransaction(({ queueChanges }) => queueChanges.postponeChecks(notNow, pauseMs));
    return null;
  }
}

async function currentRights(
  bus: LookUpDeps['bus'],
  { kind, id }: Requester & { kind: 'user' | 'bot' },
  deadlineMs: number,
): Promise<Current> {
  const answer = await bus.call(identities.operations.current, { body: { kind, id } }, { deadlineMs });
  return 'missing' in answer ? answer : { identity: unpackIdentity(answer.identity) };
}
