import { describeFailure } from '@berth/kube/describe-failure';
import type { KubeApi } from '@berth/kube/kube-api';
import type { Sign } from '../clusters/cluster-health.ts';

const deadlineMs = 5_000;

/** Probes a cluster: the API server answers `/readyz` only together with its storage. */
export async function probeCluster(api: Pick<KubeApi, 'getText' | 'server'>, signal: AbortSignal): Promise<Sign> {
  try {
    await api.getText('/readyz', { signal, deadlineMs });
    return { kind: 'answered' };
  } catch (error) {
    return { kind: 'failed', reason: describeFailure(error, api.server) };
  }
}
