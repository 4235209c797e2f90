import type { LogPosition, PodLogPart } from '@berth/contracts/resources/clusters/pod-log';
import { isOutage } from '@berth/contracts/errors';
import { pause } from '@berth/service/waiting/pause';

export interface PodLogLimits {
  bytes: number;
  ms: number;
}

export interface FollowPodLogDeps {
  read: (position: LogPosition) => Promise<PodLogPart>;
  /** Throws if the caller may no longer read anything. Its permission for this log is checked with each part. */
  reauthenticate: () => Promise<void>;
  follow: boolean;
  limits: PodLogLimits;
  signal: AbortSignal;
}

/** The pause after a part without text. The owner of the log waits for text as well. */
const pauseMs = 500;
const reauthenticateMs = 900;
/** The longest outage that a stream survives. */
const outageMs = 20_000;

/** A line that Berth adds to the log to explain why the stream ends. */
const note = (words: string): string => `[berth] ${words}\n`;

/** Yields the log in parts: to its current end, or with `follow` until the pod has ended or a limit is reached. */
export async function* followPodLog(
  first: PodLogPart,
  { read, reauthenticate, follow, limits, signal }: FollowPodLogDeps,
): AsyncGenerator<string> {
  const startedAt = performance.now();
  let authenticatedAt = startedAt;
  let outageSince: number | undefined;
  let bytes = 0;

  for (let part = first; ; ) {
    yield part.text;
    bytes += Buffer.byteLength(part.text);
    if (part.state === 'ended') {
      if (part.reason !== null) yield note(part.reason);
      return;
    }
    if (part.state === 'read' && !follow) return;
    const limit = limitReached(bytes, performance.now() - startedAt, limits);
    if (limit !== null) {
      yield note(`the log goes on: ${limit}`);
      return;
    }

    if (part.text === '') await pause(pauseMs, signal);
    signal.throwIfAborted();
    try {
      if (performance.now() - authenticatedAt > reauthenticateMs) {
        await reauthenticate();
        authenticatedAt = performance.now();
      }
      part = await read(part.position);
      outageSince = undefined;
    } catch (error) {
      outageSince ??= performance.now();
      if (!isOutage(error) || performance.now() - outageSince > outageMs) throw error;
      // A part without text makes the loop wait and read again.
      part = { text: '', position: part.position, state: 'more', reason: null };
    }
  }
}

function limitReached(bytes: number, ms: number, limits: PodLogLimits): string | null {
  if (bytes >= limits.bytes) return `one request gets about ${limits.bytes} bytes`;
  return ms >= limits.ms ? `one request follows it for ${Math.round(limits.ms / 1_000)} seconds` : null;
}
