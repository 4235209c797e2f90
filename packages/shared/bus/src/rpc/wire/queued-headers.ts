import type { Msg } from '@nats-io/transport-node';
import { type QueuedTasks, taskHeaders } from '@berth/contracts/definition/queued-tasks';
import { Id } from '@berth/contracts/fields/fields';
import { WireHeaders } from './wire-headers.ts';

/**
 * Headers of an answer rather than a part of it: a gateway of the previous version ignores them and forwards the rest unchanged.
 * Undefined without tasks: most answers have no headers.
 */
export function headersOfQueued(queued: QueuedTasks | null): WireHeaders | undefined {
  if (queued === null || queued.count === 0) return undefined;
  const headers = new WireHeaders();
  headers.set(taskHeaders.ids, queued.ids.join(', '));
  headers.set(taskHeaders.count, String(queued.count));
  return headers;
}

/** The queued tasks that an answer names; null if it names none, or if they are malformed. */
export function queuedIn({ headers }: Pick<Msg, 'headers'>): QueuedTasks | null {
  const given = headers?.get(taskHeaders.ids);
  if (!given) return null;
  const ids = given.split(', ');
  const count = Number(headers?.get(taskHeaders.count));
  const areIds = ids.every((id) => Id.safeParse(id).success);
  return areIds && Number.isSafeInteger(count) && count >= ids.length ? { ids, count } : null;
}
