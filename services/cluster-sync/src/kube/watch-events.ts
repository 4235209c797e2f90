import { answerLimits, parseAnswer } from '@berth/kube/answer-limits';
import type { KubeApi } from '@berth/kube/kube-api';
import { AnswerTooLarge, KubeError } from '@berth/kube/kube-error';
import { z } from 'zod';
import { type CpuShare, cpuShare } from './cpu-share.ts';
import { withQuery } from './with-query.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: unknown;
  /** The version from which a later watch continues; null if the event has none. */
  readonly resourceVersion: string | null;
}

export interface WatchOptions {
  readonly resourceVersion: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** The share of the cluster in the event loop. */
  readonly cpu?: CpuShare;
  /** Called when the server has accepted the watch. */
  readonly onOpen?: () => void;
}

const Event = z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']), object: z.unknown() });
const Failure = z.object({ code: z.number().int() });
const Versioned = z.object({ metadata: z.object({ resourceVersion: z.string().min(1) }) });

const openingDeadlineMs = 30_000;
/** A watch may have some lines that are malformed or too large; more than this end it. */
const mostUnread = 1_000;

/** Watches a kind of object from a version on. A line that is malformed or too large yields null and does not end the watch. */
export async function* watchEvents(
  api: Pick<KubeApi, 'streamLines'>,
  path: string,
  { resourceVersion, seconds, signal, cpu = cpuShare(), onOpen }: WatchOptions,
): AsyncGenerator<WatchEvent | null> {
  const query = new URLSearchParams({
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(seconds),
  });

  let unread = 0;
  const call = { signal, deadlineMs: openingDeadlineMs, ...(onOpen && { onOpen }) };
  for await (const line of api.streamLines(withQuery(path, query), call)) {
    const event = line === null ? null : cpu.run(() => eventOf(line));
    if (event === null && (unread += 1) > mostUnread) {
      throw new AnswerTooLarge(
        answerLimits.object.bytes,
        `${mostUnread} lines of the watch are malformed or too large`,
      );
    }
    yield event;
    if (cpu.isTired()) await cpu.rest(signal);
  }
}

function eventOf(line: string): WatchEvent | null {
  const { data: event } = Event.safeParse(parsedLine(line));
  if (!event) return null;
  if (event.type === 'ERROR') return failWith(event.object);

  const { data } = Versioned.safeParse(event.object);
  return { type: event.type, object: event.object, resourceVersion: data?.metadata.resourceVersion ?? null };
}

function parsedLine(line: string): unknown {
  try {
    return parseAnswer(line, 'object');
  } catch {
    return undefined;
  }
}

function failWith(status: unknown): null {
  const { data } = Failure.safeParse(status);
  if (data) throw new KubeError({ status: data.code, body: JSON.stringify(status) });
  return null;
}
