import { z } from 'zod';
import { type Cause, causeOfReason } from './cause.ts';
import { type Condition, conditionOf, Conditions, count, listOf, wordsOf, word } from './conditions.ts';

const Terminated = z.object({ exitCode: z.number().int().optional().catch(undefined), reason: word, message: word });
type Terminated = z.infer<typeof Terminated>;

const Container = z.object({
  name: z.string().catch('?'),
  image: word,
  restartCount: count,
  state: z
    .object({
      waiting: z.object({ reason: word, message: word }).optional().catch(undefined),
      terminated: Terminated.optional().catch(undefined),
    })
    .catch({}),
  lastState: z.object({ terminated: Terminated.optional().catch(undefined) }).catch({}),
});
type Container = z.infer<typeof Container>;

const Pod = z.object({
  spec: z.object({ nodeName: word }).catch({}),
  status: z
    .object({
      phase: word,
      reason: word,
      message: word,
      conditions: Conditions,
      initContainerStatuses: listOf(Container),
      containerStatuses: listOf(Container),
    })
    .optional()
    .catch(undefined),
});

/** Why a pod is not ready; null if it is ready or completed. */
export function podCause(pod: unknown): Cause | null {
  const { data } = Pod.safeParse(pod);
  const status = data?.status;
  if (!data || !status || status.phase === 'Succeeded') return null;
  const { conditions } = status;
  if (status.phase !== 'Failed' && conditionOf(conditions, 'Ready', 'True')) return null;
  // The kubelet or a controller ended the pod as a whole: `Evicted`, `NodeLost`, `DeadlineExceeded`.
  if (status.reason !== undefined) return causeOfReason(status.reason, 'Failed', status.message ?? status.reason);

  const ofContainer = firstOf([...status.initContainerStatuses, ...status.containerStatuses]);
  if (ofContainer) return ofContainer;
  const unscheduled = conditionOf(conditions, 'PodScheduled', 'False');
  if (unscheduled) {
    const { reason = 'Unschedulable' } = unscheduled;
    const how = reason === 'Unschedulable' ? 'unschedulable' : 'not scheduled';
    return causeOfReason(reason, 'NotReady', `${how}: ${wordsOf(unscheduled)}`);
  }
  if (isNodeLost(conditions))
    return causeOfReason(
      'NodeLost',
      'NotReady',
      `its node${data.spec.nodeName === undefined ? '' : ` ${data.spec.nodeName}`} does not report`,
    );
  const unready = conditionOf(conditions, 'ContainersReady', 'False') ?? conditionOf(conditions, 'Ready', 'False');
  if (unready) return causeOfReason(unready.reason, 'NotReady', `not ready: ${wordsOf(unready)}`);
  return status.phase === 'Failed'
    ? causeOfReason(undefined, 'Failed', 'the pod failed')
    : causeOfReason(undefined, 'NotReady', `not ready, its phase is ${status.phase ?? 'not known'}`);
}

/** The control plane takes the readiness of pods on a lost node away and gives no reason; the kubelet always gives one. */
function isNodeLost(conditions: readonly Condition[]): boolean {
  const unready = conditionOf(conditions, 'Ready', 'False') ?? conditionOf(conditions, 'Ready', 'Unknown');
  const isReasonless = unready !== undefined && unready.reason === undefined;
  return isReasonless && conditionOf(conditions, 'ContainersReady', 'True') !== undefined;
}

/** Normal progress comes last: another container may be stuck. */
const starting = new Set(['ContainerCreating', 'PodInitializing']);

function firstOf(containers: readonly Container[]): Cause | null {
  const causes = containers.flatMap((container) => containerCause(container) ?? []);
  return causes.find(({ cause }) => !starting.has(cause)) ?? causes[0] ?? null;
}

function containerCause({ name, image, state: { waiting, terminated }, lastState }: Container): Cause | null {
  const last = lastState.terminated;
  if (waiting) {
    const reason = waiting.reason ?? 'ContainerCreating';
    if (reason === 'CrashLoopBackOff' && last?.reason === 'OOMKilled')
      return outOfMemory(name, last, ', and keeps restarting');
    const words = waiting.message ? `: ${waiting.message}` : '';
    // Most of these messages name the image first and the problem after it.
    const of = image && /Image/.test(reason) && !words.includes(image) ? ` (${image})` : '';
    return causeOfReason(
      waiting.reason,
      'NotReady',
      `container ${name} is waiting: ${reason}${of}${last ? `, last ${exitOf(last)}` : ''}${words}`,
    );
  }
  if (terminated && terminated.exitCode !== 0) {
    if (terminated.reason === 'OOMKilled') return outOfMemory(name, terminated, '');
    const words = terminated.message ? `: ${terminated.message}` : '';
    // `Error` adds nothing to the exit code.
    const reason = terminated.reason === 'Error' ? undefined : terminated.reason;
    return causeOfReason(reason, 'ContainerExited', `container ${name} ended with ${exitOf(terminated)}${words}`);
  }
  return null;
}

const outOfMemory = (name: string, ended: Terminated, rest: string): Cause =>
  causeOfReason(
    'OOMKilled',
    'ContainerExited',
    `container ${name} took more memory than its limit (${exitOf(ended)})${rest}`,
  );

const exitOf = ({ exitCode, reason }: Terminated): string =>
  `exit code ${exitCode ?? 'unknown'}${reason && reason !== 'Error' ? ` (${reason})` : ''}`;
