import { ApiException } from '@kubernetes/client-node';
import { permanent, type TaskFailure, transient } from './task-failure.ts';

export const statusOf = (error: unknown): number | null => (error instanceof ApiException ? error.code : null);

/** An error of the Kubernetes API in words for the user. The body of the answer stays out: it may quote what was sent. */
export function kubeFailure(what: string, error: unknown): TaskFailure {
  const status = statusOf(error);
  if (status === 401 || status === 403)
    return permanent(`The cluster refused to ${what}: the platform lacks the permission`, error);
  if (status === 429 || (status !== null && status >= 500))
    return transient(`The cluster could not ${what} (it answered ${status})`, error);
  if (status !== null) return permanent(`The cluster refused to ${what} (it answered ${status})`, error);
  return transient(`The cluster could not be reached to ${what}`, error);
}
