import type { Pod } from '../cluster/kube-objects.ts';

/** One line for each pod that is not ready, with the reason that Kubernetes gives. */
export function explainPods(pods: readonly Pod[]): string[] {
  return pods.flatMap((pod) => {
    const problem = problemOf(pod);
    return problem === null ? [] : [`pod ${pod.metadata?.name ?? '?'}: ${problem}`];
  });
}

function problemOf({ status }: Pod): string | null {
  if (status?.phase === 'Succeeded') return null;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const { name, state, lastState } of containers) {
    const waiting = state?.waiting;
    if (waiting?.reason && waiting.reason !== 'PodInitializing') {
      const last = lastState?.terminated;
      const exit = last ? `, last exit code ${last.exitCode}${last.reason ? ` (${last.reason})` : ''}` : '';
      return `container ${name} is waiting: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ''}${exit}`;
    }
    if (state?.terminated && state.terminated.exitCode !== 0) {
      return `container ${name} exited with code ${state.terminated.exitCode}${state.terminated.reason ? ` (${state.terminated.reason})` : ''}`;
    }
  }
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  if (unscheduled) return `not scheduled: ${unscheduled.message ?? unscheduled.reason ?? 'no reason given'}`;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? null : `not ready${ready?.message ? `: ${ready.message}` : ''}`;
}
