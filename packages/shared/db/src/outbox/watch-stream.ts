import type { StatePublisher } from '@berth/bus/state/publish-state';
import type { OutboxStore } from './outbox-store.ts';
import { type TroubleLogger, troubleLog } from './trouble-log.ts';

export interface WatchStreamOptions {
  store: Pick<OutboxStore, 'knownStream' | 'rememberStream' | 'clearMarks'>;
  state: Pick<StatePublisher, 'ensureStream'>;
  copied: readonly string[];
  log: TroubleLogger;
  signal: AbortSignal;
}

/** A stream that is fuller than this is worth a line in the log, while there is time to make room. */
const nearlyFull = 0.8;

/**
 * Makes sure that the stream holds what the outbox marks as published. A recreated stream, or one that ends before its last
 * known position, has lost messages, so all projected resources are published again. Warns before the stream is full.
 */
export function watchStream({ store, state, copied, log, signal }: WatchStreamOptions): () => Promise<void> {
  const room = troubleLog(log, "the stream of this service's state is nearly full; see NATS_STATE_BYTES");

  return async () => {
    const known = await store.knownStream();
    const { used, ...now } = await state.ensureStream();
    if (known !== null && (known.created !== now.created || now.lastSeq < known.lastSeq)) {
      log.warn({ known, now }, 'the state stream has lost messages: publishing everything again');
      // Stored only after the last mark is removed: after a crash it starts over.
      await store.clearMarks(copied, signal);
      signal.throwIfAborted();
    }
    if (known?.created !== now.created || known.lastSeq !== now.lastSeq) await store.rememberStream(now);
    if (used < nearlyFull) room.fine();
    else room.failed(new Error(`${Math.round(100 * used)} % are used`));
  };
}
