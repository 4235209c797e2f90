import { cutText } from '@berth/shared/cut-text';
import type { FailureKind } from '../outcome/task-failure.ts';
import type { HelmExit } from './helm-starter.ts';

export interface Explained {
  reason: string;
  kind: FailureKind;
}

/** Somebody else was at work on the same objects. */
const transientWords =
  /another operation \(install\/upgrade\/rollback\) is in progress|because it is being terminated|the object has been modified/i;

/** Words in which Go programs tell of networks and overloaded API servers. */
const unreachableWords =
  /asked for the client to provide credentials|Unauthorized|connection refused|connection reset|i\/o timeout|TLS handshake timeout|no such host|unexpected EOF|http2: client connection lost|server is currently unable|Too Many Requests|etcdserver: |too many requests|Internal error occurred/i;

/**
 * How RBAC refuses. Quotas and admission plugins say `forbidden` as well, and mean it. A chart may print the beginnings of
 * these words as often as it likes, and heartbeats wait for the search: no part of them is of unbounded length, and an API
 * server's own words are found near the beginning.
 */
const forbiddenWords =
  /is forbidden: User "[^"]{1,300}" cannot |forbidden: user "[^"]{1,300}" .{0,300}is attempting to grant RBAC permissions/i;
const mostSearched = 16 * 1024;

/** A Secret holds a megabyte, a request to the API server three, an object in etcd one and a half. More tries change nothing. */
const tooLarge = /data: Too long|etcdserver: request is too large|Request entity too large/;
const recordIsTooLarge = 'The chart with its values and manifests is larger than Helm can record: 1 MiB, compressed';

const maxReason = 500;
/** What a shell says of a program that it cannot run. */
const notStarted = new Set([126, 127]);

/** What Helm's end means for the user: its own message, one line, and whether another attempt makes sense. */
export function explainExit({ code, signal }: HelmExit, stderr: readonly string[]): Explained {
  if (code === null)
    return { reason: `Helm was ended by ${signal ?? 'a signal'} before it was done`, kind: 'transient' };
  if (code !== null && notStarted.has(code)) return { reason: 'Helm could not be started', kind: 'transient' };
  const message = messageOf(stderr) || `Helm ended with code ${code}`;
  const isRecord = tooLarge.test(message) && message.includes('Secret "sh.helm.release');
  return { reason: cutText(isRecord ? `${recordIsTooLarge} (${message})` : message, maxReason), kind: kindOf(message) };
}

function kindOf(message: string): FailureKind {
  if (tooLarge.test(message)) return 'permanent';
  if (transientWords.test(message)) return 'transient';
  if (unreachableWords.test(message)) return 'unreachable';
  return forbiddenWords.test(message.slice(0, mostSearched)) ? 'forbidden' : 'permanent';
}

/** From Helm's `Error: …` to its end, warnings left out; a chart's own `fail` may span several lines. */
function messageOf(stderr: readonly string[]): string {
  const start = stderr.findIndex((line) => line.startsWith('Error: '));
  const lines = start === -1 ? stderr : stderr.slice(start);
  return lines
    .filter((line) => line.trim() !== '' && !/^(level=|time=|I\d{4}|W\d{4})/.test(line))
    .join(' ')
    .replace(/^Error: /, '')
    .trim();
}
