import { failureCause } from '@berth/kube/describe-failure';
import type { KubeApi } from '@berth/kube/kube-api';
import { describeClusterFailure } from '../kube/describe-cluster-failure.ts';
import type { ProbeResult } from '../clusters/cluster-health.ts';

const deadlineMs = 5_000;

/** Probes a cluster. `/readyz` of the API server succeeds only while its storage works. */
export async function probeCluster(
  api: Pick<KubeApi, 'getText' | 'server'>,
  signal: AbortSignal,
): Promise<ProbeResult> {
  try {
    await api.getText('/readyz', { signal, deadlineMs, answer: 'text' });
    return { kind: 'answered' };
  } catch (error) {
    return { kind: 'failed', reason: describeClusterFailure(error, api.server), cause: failureCause(error) };
  }
}
