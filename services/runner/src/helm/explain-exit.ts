import { cutText } from '@berth/contracts/cut-text';
import { type FailureKind, permanent, TaskFailure } from '../outcome/task-failure.ts';
import { whoCanGrant } from '../outcome/who-can-grant.ts';
import type { ErrorLines } from './error-lines.ts';
import type { HelmExit } from './helm-process.ts';
import { type HelmLimits, mebibyte } from './helm-limits.ts';

export interface Explained {
  reason: string;
  kind: FailureKind;
}

/** Conflicts with concurrent changes. */
const transientWords =
  /another operation \(install\/upgrade\/rollback\) is in progress|because it is being terminated|the object has been modified/i;

/** How Go programs report network errors and overloaded API servers. */
const unreachableWords =
  /asked for the client to provide credentials|Unauthorized|connection refused|connection reset|i\/o timeout|TLS handshake timeout|no such host|unexpected EOF|http2: client connection lost|server is currently unable|Too Many Requests|etcdserver: |too many requests|Internal error occurred/i;

/**
 * How RBAC refuses; quotas and admission plugins say `forbidden` too, but permanently. A chart may print the beginning of these
 * messages any number of times, and heartbeats wait for the search. So every part of the pattern is bounded, and only the
 * beginning of the text is searched, which has the message of the API server.
 */
const forbiddenWords =
  /is forbidden: User "[^"]{1,300}" cannot |forbidden: user "[^"]{1,300}" .{0,300}is attempting to grant RBAC permissions/i;
const maxSearched = 16 * 1024;

/** Limits of a Secret (1 MiB), of a request to the API server (3 MiB) and of an object in etcd (1.5 MiB): retries do not help. */
const tooLarge = /data: Too long|etcdserver: request is too large|Request entity too large/;
const recordIsTooLarge = 'The chart with its values and manifests is larger than Helm can record: 1 MiB, compressed';

/** Each name is bounded, as above. Some versions leave the namespace out. */
const refusedRight =
  /is forbidden: User "[^"]{1,300}" cannot (?<verb>[a-z]{1,20}) resource "(?<resource>[^"]{1,253})" in API group "(?<group>[^"]{0,253})"(?: (?:in the namespace "(?<namespace>[^"]{1,63})"|at the cluster scope))?/;
const refusedToGrant = /is attempting to grant RBAC permissions not currently held/;

const maxReason = 500;
/** Exit codes of a shell that cannot run the program. */
const notStarted = new Set([126, 127]);

const ofInstallation = 'while Helm renders it, which is the limit of this installation';

/** The run of Helm to explain. */
export interface HelmUse {
  namespace: string;
  /** The account is not new, so the cluster knows its rights by now. */
  isRepeated: boolean;
}

/** Why Helm failed, for the user. An exceeded limit is permanent, since the next attempt would exceed it too. */
export function failureOf(
  exit: HelmExit,
  errors: ErrorLines,
  { limits: { memoryBytes, cpuSecs }, ...use }: HelmUse & { limits: HelmLimits },
): TaskFailure {
  if (errors.wasOutOfMemory(exit.code)) {
    return permanent(`The chart needs more than ${memoryBytes / mebibyte} MiB of memory ${ofInstallation}`);
  }
  if (exit.wasBusyTooLong) {
    return permanent(`The chart needs more than ${cpuSecs} s of processor time ${ofInstallation}`);
  }
  const { reason, kind } = explainExit(exit, errors.lines);
  const message = messageOf(errors.lines);
  // Helm's own words are in the log as its output.
  const toLog = reason === cutText(message, maxReason) ? null : reason;
  if (kind !== 'forbidden') return new TaskFailure(reason, { kind, toLog });
  const words = explainForbidden(message.slice(0, maxSearched), use.namespace);
  return new TaskFailure(cutText(words ?? reason, maxReason), {
    kind: use.isRepeated ? 'permanent' : kind,
    toLog: words ?? toLog,
  });
}

/** Which permission the chart lacked, and who can grant it; null for other messages. */
export function explainForbidden(message: string, own: string): string | null {
  if (refusedToGrant.test(message)) {
    return `The chart contains a role with rights that its deployment does not have itself. ${whoCanGrant}`;
  }
  const { verb, resource, group, namespace } = refusedRight.exec(message)?.groups ?? {};
  if (verb === undefined || resource === undefined) return null;
  const what = `${verb} ${resource}${group ? ` of ${group}` : ''}`;
  if (namespace === own) {
    return `The chart tried to ${what} in its namespace, which the ClusterRole berth-deployer (deploy/rbac/deployer.yaml) does not allow. ${whoCanGrant}`;
  }
  return `The chart tried to ${what} ${namespace === undefined ? 'in the whole cluster' : `in the namespace ${namespace}`}. ${whoCanGrant}`;
}

/**
 * Why an uninstall failed, if workloads of the namespace can be the cause: they can write the record of the release, its RoleBinding, and
 * finalizers. `undeletable`: Helm could not delete the objects of the record, such as a manifest that a workload has changed.
 */
export function obstacleOf({ kind, message }: TaskFailure): 'forbidden' | 'undeletable' | 'timeout' | null {
  if (kind === 'forbidden') return kind;
  if (kind !== 'permanent') return null;
  if (message.startsWith('failed to delete release: ')) return 'undeletable';
  return /timed? ?out|deadline exceeded/i.test(message) ? 'timeout' : null;
}

/** Helm's own message in one line, and the kind of failure. */
export function explainExit({ code, signal }: Pick<HelmExit, 'code' | 'signal'>, stderr: readonly string[]): Explained {
  if (code === null)
    return { reason: `Helm was ended by ${signal ?? 'a signal'} before it had finished`, kind: 'transient' };
  if (notStarted.has(code)) return { reason: 'Helm could not be started', kind: 'transient' };
  const message = messageOf(stderr) || `Helm exited with code ${code}`;
  const isRecord = tooLarge.test(message) && message.includes('Secret "sh.helm.release');
  return { reason: cutText(isRecord ? `${recordIsTooLarge} (${message})` : message, maxReason), kind: kindOf(message) };
}

function kindOf(message: string): FailureKind {
  if (tooLarge.test(message)) return 'permanent';
  if (transientWords.test(message)) return 'transient';
  if (unreachableWords.test(message)) return 'unreachable';
  return forbiddenWords.test(message.slice(0, maxSearched)) ? 'forbidden' : 'permanent';
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
