import type { Connection } from './connection.ts';
import { disconnected } from './disconnected.ts';

/** When the connection is lost, the library's own requests wait for their timeout; this rejects them at once. */
export function whileUp<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  if (!connection.isUp()) return Promise.reject(disconnected());
  return new Promise<T>((resolve, reject) => {
    const stopListening = connection.onDown(() => reject(disconnected()));
    void work().then(resolve, reject).finally(stopListening);
  });
}

/** Resolves as soon as there is a connection, or the signal aborts. */
export function untilUp(connection: Connection, signal: AbortSignal): Promise<void> {
  if (connection.isUp() || signal.aborted) return Promise.resolve();
  return new Promise<void>((resolve) => {
    const end = () => {
      stopListening();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stopListening = connection.onUp(end);
    signal.addEventListener('abort', end, { once: true });
  });
}
