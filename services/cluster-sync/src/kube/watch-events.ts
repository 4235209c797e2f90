import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError } from '@berth/kube/kube-error';
import { parsedJson } from '@berth/contracts/fields/json';
import { z } from 'zod';
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
}

const Event = z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']), object: z.unknown() });
const Failure = z.object({ code: z.number().int() });
const Versioned = z.object({ metadata: z.object({ resourceVersion: z.string().min(1) }) });

const openingDeadlineMs = 30_000;

/** Watches a kind of object from a version on. A malformed line yields null and does not end the watch. */
export async function* watchEvents(
  api: Pick<KubeApi, 'streamLines'>,
  path: string,
  { resourceVersion, seconds, signal }: WatchOptions,
): AsyncGenerator<WatchEvent | null> {
  const query = new URLSearchParams({
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(seconds),
  });

  for await (const line of api.streamLines(withQuery(path, query), { signal, deadlineMs: openingDeadlineMs })) {
    yield eventOf(line);
  }
}

function eventOf(line: string): WatchEvent | null {
  const { data: event } = Event.safeParse(parsedJson(line));
  if (!event) return null;
  if (event.type === 'ERROR') return failWith(event.object);

  const { data } = Versioned.safeParse(event.object);
  return { type: event.type, object: event.object, resourceVersion: data?.metadata.resourceVersion ?? null };
}

function failWith(status: unknown): null {
  const { data } = Failure.safeParse(status);
  if (data) throw new KubeError({ status: data.code, body: JSON.stringify(status) });
  return null;
}
