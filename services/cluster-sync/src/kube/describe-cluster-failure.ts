import { describeFailure } from '@berth/kube/describe-failure';
import { KubeError } from '@berth/kube/kube-error';

/** Why a call that cluster-sync made with its own credential failed, and which manifest grants what it lacks. */
export function describeClusterFailure(error: unknown, server: string): string {
  const words = describeFailure(error, server);
  const isForbidden = error instanceof KubeError && error.status === 403;
  return isForbidden ? `${words}; deploy/rbac/cluster-sync.yaml of this version has what it needs` : words;
}
