import type { Cause } from '@berth/kube/causes/cause';
import { causeOf } from '@berth/kube/causes/cause-of';
import { cutText } from '@berth/contracts/cut-text';
import type { ClusterEvent, Pod } from '../cluster/kube-objects.ts';
import type { Awaited } from './awaited.ts';
import { type Explanations, podsOf } from './pods-of.ts';

const mostOfReason = 360;
const mostInAll = 480;

/** Why one object is not ready. Lower weight = more specific. */
interface Reason {
  says: string;
  weight: number;
}

/** Reasons of controllers that are still making progress. */
const inProgress = ['Creating', 'InProgress', 'Initializing', 'Pending', 'Progressing', 'Provisioning', 'Reconciling'];

/** Causes, most specific first. A deadline only says that there is a problem. */
const byWeight = [
  ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError'],
  ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError', 'FailedCreate'],
  ['CrashLoopBackOff', 'OOMKilled'],
  ['ContainerExited', 'Failed', 'BackoffLimitExceeded'],
  ['Unschedulable', 'SchedulerError', 'SchedulingGated', 'ClaimPending', 'ClaimLost'],
  ['ContainerCreating', 'PodInitializing', ...inProgress],
  ['NotReady', 'ContainersNotReady'],
  ['ProgressDeadlineExceeded'],
  ['ReplicasUnavailable'],
];
/** A reason that is not listed names a failure. */
const failed = 3;
const nothingKnown = byWeight.length;

function weightOf(cause: string): number {
  const weight = byWeight.findIndex((words) => words.includes(cause));
  return weight === -1 ? failed : weight;
}

/**
 * The reason of a wait: the object with the most specific cause, its progress, and the cause. Null if nothing is awaited.
 * `words` makes texts of the cluster safe to show.
 */
export function whyWaiting(
  awaited: readonly Awaited[],
  explanations: Explanations,
  words: (text: string) => string,
): string | null {
  const [first] = awaited
    .map((one) => ({ ...one, reason: reasonOf(one, explanations) }))
    .toSorted((a, b) => (a.reason?.weight ?? nothingKnown) - (b.reason?.weight ?? nothingKnown));
  if (!first) return null;
  const { kind, name, progress, reason } = first;
  const others = awaited.length === 1 ? '' : ` and ${awaited.length - 1} more`;
  const because = reason === null ? '' : `; ${shown(reason.says, words)}`;
  return cutText(`${words(kind)} ${words(name)}${others}: ${progress}${because}`, mostInAll);
}

/** A text that was cut may end within a secret: the first word of one may be too short for `words` to find it. */
const shown = (text: string, words: (text: string) => string): string =>
  cutText(words(text.endsWith('…') ? text.replace(/\S{1,600}$/u, '…') : text), mostOfReason);

function reasonOf(one: Awaited, explanations: Explanations): Reason | null {
  const inPods = reasonInPods(podsOf(one, explanations), explanations);
  if (inPods) return inPods;
  if (one.isCustom && one.cause) return reasonFrom(one.cause, one.cause.message);
  const message = messageOf(explanations.events, one);
  if (one.cause?.cause === 'FailedCreate') return reasonFrom(one.cause, `its pods are refused: ${one.cause.message}`);
  if (message !== null) return { says: `${eventsSay[one.kind] ?? ''}${message}`, weight: weightOf('FailedCreate') };
  return one.cause && one.cause.cause !== 'ReplicasUnavailable' ? reasonFrom(one.cause, one.cause.message) : null;
}

const reasonFrom = ({ cause }: Cause, says: string): Reason => ({ says, weight: weightOf(cause) });

/** Warnings of controllers are about pods that they cannot create. */
const eventsSay: Partial<Record<string, string>> = {
  StatefulSet: 'its pods are refused: ',
  DaemonSet: 'its pods are refused: ',
  Job: 'its pods are refused: ',
};

/** The most specific problem of the pods, and how many have it. */
function reasonInPods(pods: readonly Pod[], explanations: Explanations): Reason | null {
  const problems = pods.flatMap((pod) => {
    const cause = causeOf('Pod', pod);
    return cause === null ? [] : [{ pod, cause, weight: weightOf(cause.cause) }];
  });
  const [first] = problems.toSorted((a, b) => a.weight - b.weight);
  if (!first) return null;
  const alike = problems.filter(({ weight }) => weight === first.weight).length;
  const message = messageOfPod(first, explanations);
  const are = `${alike} of ${pods.length} ${pods.length === 1 ? 'pod' : 'pods'}`;
  // The message is a sentence of its own, or continues one: `3 of 3 pods unschedulable: …`.
  return { says: `${are}${/^(unschedulable|not )/.test(message) ? ' ' : ': '}${message}`, weight: first.weight };
}

/** For these, the pod's events are more specific: a volume that is not mounted, a probe that fails. */
const vague: readonly string[] = ['ContainerCreating', 'PodInitializing', 'NotReady', 'ContainersNotReady'];

const unscheduled: readonly string[] = ['Unschedulable', 'SchedulerError'];

/** Explains a pod by its volume claim and its events. */
function messageOfPod({ pod, cause }: { pod: Pod; cause: Cause }, { claims, events }: Explanations): string {
  if (vague.includes(cause.cause)) {
    const message = messageOf(events, { kind: 'Pod', name: pod.metadata?.name ?? '' });
    return message === null ? cause.message : `not ready: ${message}`;
  }
  if (!unscheduled.includes(cause.cause)) return cause.message;
  const used = new Set((pod.spec?.volumes ?? []).map(({ persistentVolumeClaim: claim }) => claim?.claimName));
  const claim = claims.find(({ metadata: { name }, status }) => used.has(name) && status?.phase !== 'Bound');
  if (!claim) return cause.message;
  const { name } = claim.metadata;
  const why =
    messageOf(events, { kind: 'PersistentVolumeClaim', name }) ?? causeOf('PersistentVolumeClaim', claim)?.message;
  return `unschedulable: PersistentVolumeClaim ${name} is not bound${why === undefined ? '' : `: ${why}`}`;
}

function messageOf(events: readonly ClusterEvent[], { kind, name }: Pick<Awaited, 'kind' | 'name'>): string | null {
  const [latest] = events
    .filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name)
    .toSorted((a, b) => (b.lastTimestamp ?? '').localeCompare(a.lastTimestamp ?? ''));
  return latest?.message?.replace(/^\(combined from similar events\): /, '') ?? null;
}
