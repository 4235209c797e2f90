import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError, nullIfMissing } from '@berth/kube/kube-error';
import type { LogPosition, PodLogPart, PodLogRequest } from '@berth/contracts/resources/clusters/pod-log';
import { AppError } from '@berth/contracts/errors';
import { plainText } from '@berth/contracts/plain-text';
import { nextTurn } from '@berth/service/waiting/next-turn';
import { createLogCursor, readFrom } from './log-cursor.ts';
import { createLogSplitter, type LogLine } from './log-lines.ts';
import { containerOf, hasEnded, LoggedPod } from './pod-of-log.ts';

/** The pod whose log is read. */
export interface PodToRead {
  readonly namespace: string;
  readonly name: string;
  /** Distinguishes it from a later pod of the same name. */
  readonly uid: string;
}

export interface LogTimes {
  /** How long to wait for an answer to begin. For a followed log without lines it may never begin. */
  readonly openMs: number;
  /** How long a follower waits for the next line before it calls again. */
  readonly quietMs: number;
  /** How long lines are gathered after the first one. */
  readonly gatherMs: number;
}

const usualTimes: LogTimes = { openMs: 2_000, quietMs: 2_000, gatherMs: 200 };

type Options = Omit<PodLogRequest, 'resource_id'>;

const partCharacters = 256 * 1024;
/** Includes skipped lines: those of a busy second are read again for each part. */
const maxBytesRead = 16 * 1024 * 1024;
const deadlineMs = 3_000;
const linesPerTurn = 5_000;
const start: LogPosition = { at: null, lines: 0 };

/**
 * Reads the part of a log after a position. Each part is a separate request, so nothing is kept for a reader between two parts,
 * any replica can read the next one, and a slow reader does not delay others.
 */
export async function readLogPart(
  api: Pick<KubeApi, 'getJson' | 'streamBytes'>,
  { namespace, name, uid }: PodToRead,
  request: Options,
  { signal, times = usualTimes }: { signal: AbortSignal; times?: LogTimes },
): Promise<PodLogPart> {
  const position = request.position ?? start;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const pod = LoggedPod.nullable().parse(await nullIfMissing(api.getJson(path, { signal, deadlineMs })));
  if (pod?.metadata.uid !== uid) {
    if (request.position === null) throw new AppError('not_found', 'No such pod: it was deleted');
    return { text: '', position, state: 'ended', reason: 'the pod was deleted' };
  }
  const container = containerOf(pod, request.container);
  const ended = hasEnded(pod);
  const logPath = `${path}/log?${queryOf(request, { container, ended }).toString()}`;
  try {
    const read = await readLines(api, logPath, {
      request,
      position,
      signal,
      times,
      waits: waitsForMore(request, ended),
    });
    // The pod had ended before this part was read, so the log is complete.
    if (read.state === 'read' && ended && request.follow)
      return { ...read, state: 'ended', reason: `the pod has ended (${pod.status.phase})` };
    return read;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.status >= 500) throw nodeDoesNotAnswer(pod, error);
    if (error.status !== 400) throw error;
    // The container is waiting to start, perhaps once more.
    if (request.follow && !ended) return { text: '', position, state: 'read', reason: null };
    throw new AppError('conflict', `The cluster has no such log: ${plainText(error.message, 300)}`, { cause: error });
  }
}

/** The API server has just answered; only the kubelet, which serves logs, does not. */
function nodeDoesNotAnswer({ spec: { nodeName } }: LoggedPod, error: KubeError): AppError {
  const node = nodeName === undefined ? 'the node of the pod' : `the node ${plainText(nodeName, 100)} of the pod`;
  return new AppError(
    'unavailable',
    `The API server cannot get the log from ${node} (${error.status}), which may be down; try again when the node is ready`,
    { cause: error, retryAfterSeconds: Math.min(error.retryAfterMs ?? 15_000, 60_000) / 1_000 },
  );
}

/** True for the first part with `tail_lines=0`, which only finds the end of the log. */
const findsEnd = ({ tail_lines, position }: Options): boolean => position === null && tail_lines === 0;

const waitsForMore = (request: Options, ended: boolean): boolean =>
  request.follow === true && !ended && !findsEnd(request);

function queryOf(request: Options, { container, ended }: { container: string; ended: boolean }): URLSearchParams {
  const { position, previous, tail_lines, since } = request;
  const from = readFrom(position ?? start) ?? since;
  const lines = position === null && tail_lines !== undefined ? Math.max(1, tail_lines) : undefined;
  return new URLSearchParams({
    container,
    timestamps: 'true',
    ...(waitsForMore(request, ended) && { follow: 'true' }),
    ...(previous && { previous: 'true' }),
    ...(from !== undefined && { sinceTime: from }),
    ...(lines !== undefined && { tailLines: String(lines) }),
  });
}

interface Reading {
  readonly request: Options;
  readonly position: LogPosition;
  readonly signal: AbortSignal;
  readonly times: LogTimes;
  readonly waits: boolean;
}

async function readLines(
  api: Pick<KubeApi, 'streamBytes'>,
  path: string,
  { request, position, signal, times, waits }: Reading,
): Promise<PodLogPart> {
  const enough = new AbortController();
  const limit = AbortSignal.any([signal, enough.signal]);
  const cursor = createLogCursor(position);
  const splitter = createLogSplitter();
  let text = '';
  let bytes = 0;
  let lines = 0;
  let timer: NodeJS.Timeout | undefined;
  const waitFor = (ms: number): void => {
    clearTimeout(timer);
    if (waits) timer = setTimeout(() => enough.abort(), ms);
  };

  const take = (line: LogLine): void => {
    if (!cursor.take(line) || findsEnd(request) || isBefore(line, request.since)) return;
    if (text === '') waitFor(times.gatherMs);
    text += `${line.text}\n`;
  };
  const part = (state: 'more' | 'read'): PodLogPart => ({ text, position: cursor.position(), state, reason: null });

  try {
    waitFor(times.openMs + times.quietMs);
    // When following, the timer below must end the wait before this deadline does.
    const opening = waits ? 2 * (times.openMs + times.quietMs) : deadlineMs;
    for await (const chunk of api.streamBytes(path, { signal: limit, deadlineMs: opening, accept: '*/*' })) {
      if (bytes === 0) waitFor(times.quietMs);
      bytes += chunk.length;
      for (const line of splitter.split(chunk)) {
        take(line);
        // A chunk may have a hundred thousand lines.
        if ((lines += 1) % linesPerTurn === 0) await nextTurn();
        if (text.length >= partCharacters) return part('more');
      }
      if (bytes >= maxBytesRead) return progressed(part('more'), position);
    }
    // When following, an incomplete line is sent once it is complete.
    const rest = waits ? undefined : splitter.rest();
    if (rest) take(rest);
    return part('read');
  } catch (error) {
    if (enough.signal.aborted && !signal.aborted) return part('read');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const isBefore = ({ at }: LogLine, since: string | undefined): boolean =>
  at !== null && since !== undefined && Date.parse(at) < Date.parse(since);

/** Ends the log if this part has not advanced, since the next one would not either. */
function progressed(part: PodLogPart, { at, lines }: LogPosition): PodLogPart {
  if (part.position.at !== at || part.position.lines !== lines) return part;
  return { ...part, state: 'ended', reason: 'one second or one line of the log has more than 16 MiB' };
}
