import type { Pod } from '../cluster/kube-objects.ts';

/** What the person at 3 a.m. would look up next: which pods are not ready, and what Kubernetes says of them. */
export function explainPods(pods: readonly Pod[]): string[] {
  return pods.flatMap((pod) => {
    const why = troubleOf(pod);
    return why === null ? [] : [`pod ${pod.metadata?.name ?? '?'}: ${why}`];
  });
}

function troubleOf({ status }: Pod): string | null {
  if (status?.phase === 'Succeeded') return null;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const { name, state, lastState } of containers) {
    const waiting = state?.waiting;
    if (waiting?.reason && waiting.reason !== 'PodInitializing') {
      const last = lastState?.terminated;
      const exit = last ? `, it last ended with code ${last.exitCode}${last.reason ? ` (${last.reason})` : ''}` : '';
      return `container ${name} is waiting: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ''}${exit}`;
    }
    if (state?.terminated && state.terminated.exitCode !== 0) {
      return `container ${name} ended with code ${state.terminated.exitCode}${state.terminated.reason ? ` (${state.terminated.reason})` : ''}`;
    }
  }
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  if (unscheduled) return `not scheduled: ${unscheduled.message ?? unscheduled.reason ?? 'no reason given'}`;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? null : `not ready${ready?.message ? `: ${ready.message}` : ''}`;
}
