import type { StatePublisher } from '../bus/publish-state.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { TroubleLogger } from './trouble-log.ts';

export interface WatchStreamOptions {
  store: OutboxStore;
  state: Pick<StatePublisher, 'ensureStream'>;
  log: TroubleLogger;
  signal: AbortSignal;
}

/**
 * Makes sure that the stream holds what the outbox says is published: a stream made anew, or one that ends before what
 * was seen of it, has lost some, so everything is published once more.
 */
export async function watchStream({ store, state, log, signal }: WatchStreamOptions): Promise<void> {
  const known = await store.knownStream();
  const now = await state.ensureStream();
  if (known !== null && (known.created !== now.created || now.lastSeq < known.lastSeq)) {
    log.warn({ known, now }, 'the state stream has lost messages: publishing everything again');
    // Remembered only after the last mark is gone: a crash on the way starts it over.
    await store.clearMarks(signal);
    signal.throwIfAborted();
  }
  if (known?.created !== now.created || known.lastSeq !== now.lastSeq) await store.rememberStream(now);
}
