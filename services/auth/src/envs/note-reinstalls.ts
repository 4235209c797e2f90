import type { Bus } from '@berth/bus/bus';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { rowState } from '@berth/contracts/fields/row-state';
import { envImpact } from '@berth/contracts/resources/envs/env-impact';
import { Env, envs } from '@berth/contracts/resources/envs/envs';
import type { Queries } from '@berth/db/database';
import { rowStateNow } from '@berth/db/outbox/row-state';

type Context = Pick<HandlerContext, 'requestId' | 'remainingMs' | 'noteQueued' | 'log'>;

/**
 * Names the Reinstalls that a changed placement queues in the answer. The change is made: if the owner of tasks does not answer,
 * it follows the env later, and the answer names none.
 */
export async function noteReinstalls(
  { db, bus }: { db: Queries; bus: Pick<Bus, 'call'> },
  envId: string,
  { requestId, remainingMs, noteQueued, log }: Context,
): Promise<void> {
  const env = await rowStateNow(db, envs, rowState(Env), envId);
  if (env === null) return;
  try {
    const deadlineMs = Math.min(2_000, remainingMs() - 500);
    noteQueued(await bus.call(envImpact.operations.take, { body: { env } }, { requestId, deadlineMs }));
  } catch (error) {
    log.warn({ err: error, env_id: envId }, 'the tasks of a changed placement are not known');
  }
}
