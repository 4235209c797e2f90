import { describeFailure } from '@berth/kube/describe-failure';
import { AnswerTooLarge, isNamespaceGone, KubeError } from '@berth/kube/kube-error';
import {
  AccessRefused,
  forbidden,
  permanent,
  type TaskFailure,
  transient,
  unreachable,
} from '../outcome/task-failure.ts';

export const statusOf = (error: unknown): number | null => (error instanceof KubeError ? error.status : null);

const lacksRight =
  'the account of the deployment lacks a right; deploy/rbac/deployer.yaml of this version has what it needs';

/** Words an error of the Kubernetes API for the user, without the body of the response, which may quote the request. */
export function kubeFailure(what: string, error: unknown, server: string): TaskFailure {
  // Permanent, since the next answer would be as large.
  if (error instanceof AnswerTooLarge) return permanent(`The cluster could not ${what}: ${error.message}`, error);
  if (!(error instanceof KubeError)) {
    return unreachable(`The cluster could not be reached to ${what}: ${describeFailure(error, server)}`, error);
  }
  const { status } = error;
  if (status === 401) return new AccessRefused(`The cluster rejected the platform's credential to ${what}`, error);
  if (isNamespaceGone(error)) {
    return transient(`The cluster could not ${what}: the namespace is being deleted`, error);
  }
  if (status === 403) return forbidden(`The cluster refused to ${what}: ${lacksRight}`, error);
  if (status === 429 || status >= 500)
    return unreachable(`The cluster could not ${what} (it answered ${status})`, error);
  // The object was deleted or changed meanwhile; the next attempt reads it again.
  if (status === 404 || status === 409) {
    return transient(`The cluster could not ${what} (it answered ${status})`, error);
  }
  return permanent(`The cluster refused to ${what} (it answered ${status})`, error);
}
