import { pause } from '@berth/service/waiting/pause';
import type { Logger } from 'pino';
import type { CallerName } from '@berth/contracts/definition/contract';
import { delays } from '../protocol/limits.ts';
import { grantedSubject } from '../protocol/subjects.ts';
import { type Connection, NatsUnusable } from './connection.ts';
import { refusalOfGrants } from './nats-needs.ts';
import { untilUp, whileUp } from './while-up.ts';

interface UntilGrantedOptions {
  readonly connection: Connection;
  readonly caller: CallerName;
  /** Where the contracts let the caller publish. */
  readonly subjects: readonly string[];
  readonly log: Logger;
  readonly signal?: AbortSignal | undefined;
  /** How long a NATS may take to get permissions, such as during an upgrade of both. */
  readonly patienceMs?: number | undefined;
}

/**
 * Resolves when NATS has the permissions of these contracts. A denied message is lost without a word to its sender, so a part that
 * started before its permissions came would look healthy and fail some of its work.
 */
export async function untilGranted(options: UntilGrantedOptions): Promise<void> {
  const { connection, caller, log, signal = new AbortController().signal, patienceMs = delays.grants } = options;
  let deniedFor = 0;
  for (;;) {
    await untilUp(connection, signal);
    signal.throwIfAborted();
    // Without an answer it is tried again: NATS may restart with its new permissions.
    const [denied, ...more] = (await deniedSubjects(options).catch(() => null)) ?? [null];
    if (denied === undefined) return;

    if (denied !== null) {
      const words = refusalOfGrants(caller, denied, more.length);
      if (deniedFor >= patienceMs) throw new NatsUnusable(words);
      log.warn({ reason: words }, 'NATS has no permissions of this version yet');
      deniedFor += delays.grantsRetry;
    }
    await pause(delays.grantsRetry, signal);
  }
}

/** The server tells of a denied subscription; each subject for publishing has one that is allowed with it. */
async function deniedSubjects({ connection, caller, subjects }: UntilGrantedOptions): Promise<string[]> {
  const { nc } = connection;
  const denied: string[] = [];
  const subscriptions = subjects.map((subject) =>
    nc.subscribe(grantedSubject(caller, subject), {
      callback: (error) => {
        if (error) denied.push(subject);
      },
    }),
  );
  try {
    await whileUp(connection, () => nc.flush());
    // The library hands on errors after the answer of the first one.
    await whileUp(connection, () => nc.flush());
  } finally {
    for (const subscription of subscriptions) subscription.unsubscribe();
  }
  return denied;
}
