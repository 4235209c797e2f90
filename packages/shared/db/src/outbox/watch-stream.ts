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

class NearlyFull extends Error {
  override readonly name = 'NearlyFull';

  constructor(used: number) {
    super(`${Math.round(100 * used)} % are used`);
  }
}

/** Above this share a warning is logged, while there is time to enlarge the stream. */
const nearlyFull = 0.8;

/**
 * Ensures that the stream holds all rows that the outbox marks as published. A stream that was recreated, or that ends before its
 * last known position, has lost messages; all projected resources are then published again. Also warns before the stream is full.
 */
export function watchStream({ store, state, copied, log, signal }: WatchStreamOptions): () => Promise<void> {
  const room = troubleLog(log, "the stream of this service's state is nearly full; see NATS_STATE_BYTES");

  return async () => {
    const known = await store.knownStream();
    const { used, ...now } = await state.ensureStream();
    if (known !== null && (known.created !== now.created || now.lastSeq < known.lastSeq)) {
      log.warn({ known, now }, 'the state stream has lost messages: publishing everything again');
      // Stored only after all marks are removed: after a crash, the work starts over.
      await store.clearMarks(copied, signal);
      signal.throwIfAborted();
    }
    if (known?.created !== now.created || known.lastSeq !== now.lastSeq) await store.rememberStream(now);
    if (used < nearlyFull) room.fine();
    else room.failed(new NearlyFull(used));
  };
}
