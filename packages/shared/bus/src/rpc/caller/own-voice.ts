import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CallerName } from '@berth/contracts/definition/contract';
import type { Connection } from '../../connection/connection.ts';
import { delays } from '../../protocol/limits.ts';
import { ownVoiceSubject } from '../../protocol/subjects.ts';

export interface OwnVoiceDeps {
  connection: Connection;
  caller: CallerName;
  instance: string;
  log: Logger;
  intervalMs?: number;
}

/**
 * Sends itself a message every 5 s, since a connection can claim to be up although its read loop has ended; the library's pings
 * detect that late or never. After two missed messages in a row it reconnects; after three, liveness fails.
 */
export function listenToOwnVoice({ connection, caller, instance, log, intervalMs = delays.ownVoice }: OwnVoiceDeps) {
  const subject = ownVoiceSubject(caller, instance);
  const stopped = new AbortController();
  const subscription = connection.nc.subscribe(subject);
  let missed = 0;
  let waiting = false;

  void (async () => {
    for await (const _ of subscription) {
      missed = 0;
      waiting = false;
    }
  })().catch((error: unknown) => log.error({ err: error }, 'the connection check no longer receives'));

  connection.onDown(() => {
    missed = 0;
    waiting = false;
  });

  async function speak(): Promise<void> {
    while (!stopped.signal.aborted) {
      await sleep(intervalMs, undefined, { signal: stopped.signal, ref: false });
      if (!connection.isUp()) continue;
      if (waiting) missed += 1;
      try {
        if (missed === 2) {
          log.error('connected to NATS, but receiving nothing; reconnecting');
          await connection.nc.reconnect();
        }
        waiting = true;
        connection.nc.publish(subject);
      } catch (error) {
        log.warn({ err: error }, 'the connection check could not send');
      }
    }
  }
  const speaking = speak().catch((error: unknown) => {
    if (!stopped.signal.aborted) log.error({ err: error }, 'the connection check ended');
  });

  return {
    isHeard: () => missed < 3,
    async stop(): Promise<void> {
      stopped.abort();
      subscription.unsubscribe();
      await speaking;
    },
  };
}
