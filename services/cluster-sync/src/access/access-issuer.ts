import { Timestamp } from '@berth/contracts/fields/fields';
import { AppError } from '@berth/contracts/errors';
import { describeFailure } from '@berth/kube/describe-failure';
import type { KubeAccess } from '@berth/kube/kube-access';
import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError } from '@berth/kube/kube-error';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { Connection } from '../discovery/cluster-directory.ts';
import { type RunnerAccount, runnerObjects, usualRunnerAccount } from './runner-account.ts';

interface IssuedAccess {
  /** Holds a token that makes its bearer an admin of the cluster: never log it, never store it. */
  readonly kubeconfig: string;
  readonly expires_at: string;
}

export interface AccessIssuerOptions {
  /** Lifetime of the issued access. A cluster grants at least 10 minutes. */
  readonly accessSeconds: number;
  /** The account whose tokens runners get. */
  readonly runnerAccount?: RunnerAccount;
}

/** Issues a kubeconfig with a short-lived token that the cluster itself signs. */
export type IssueAccess = (
  connection: Pick<Connection, 'access' | 'api' | 'token'>,
  signal: AbortSignal,
) => Promise<IssuedAccess>;

const TokenAnswer = z.object({
  status: z.object({ token: z.string().min(1), expirationTimestamp: Timestamp }),
});

const deadlineMs = 5_000;
const tokenPath = ({ namespace, name }: RunnerAccount) =>
  `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;

export function accessIssuer({ accessSeconds, runnerAccount = usualRunnerAccount }: AccessIssuerOptions): IssueAccess {
  async function prepare(api: KubeApi, signal: AbortSignal): Promise<void> {
    for (const { path, object } of runnerObjects(runnerAccount)) {
      await api.postJson(path, object, { signal, deadlineMs }).catch((error: unknown) => {
        if (!(error instanceof KubeError)) throw error;
        if (error.reason === 'AlreadyExists') return;
        if (error.status === 403) throw missingAccount(runnerAccount, error);
        throw error;
      });
    }
  }

  return async ({ api, access }, signal) => {
    try {
      const status = await requestToken(api, { accessSeconds, runnerAccount }, signal).catch(async (error: unknown) => {
        if (!(error instanceof KubeError) || error.status !== 404) throw error;
        // This is the first access to the cluster, or the account was deleted.
        await prepare(api, signal);
        return requestToken(api, { accessSeconds, runnerAccount }, signal);
      });
      return { kubeconfig: kubeconfigOf(access, { token: status.token }), expires_at: status.expirationTimestamp };
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('unavailable', `The cluster issued no access: ${describeFailure(error, api.server)}`, {
        cause: error,
      });
    }
  };
}

const missingAccount = ({ namespace, name }: RunnerAccount, cause: unknown) => {
  const words = `The cluster has no account ${namespace}/${name}, and cluster-sync may not create it; apply deploy/rbac/runner.yaml`;
  return new AppError('unavailable', words, { cause });
};

async function requestToken(
  api: KubeApi,
  { accessSeconds, runnerAccount }: Required<AccessIssuerOptions>,
  signal: AbortSignal,
) {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: accessSeconds },
  };
  const answer = TokenAnswer.safeParse(
    await api.postJson(tokenPath(runnerAccount), request, { signal, deadlineMs, answer: 'token' }),
  );
  // Without the parser's error, which may quote the token.
  if (!answer.success) throw new AppError('unavailable', 'The answer of the cluster to the token request is malformed');
  return answer.data.status;
}

/**
 * For clusters that issue no tokens for accounts: if the operator lists such a cluster, its runners get the credential of the
 * service itself. A static credential has no known expiry; runners renew it on the usual schedule.
 */
export function ownAccessIssuer({ accessSeconds }: AccessIssuerOptions): IssueAccess {
  return async ({ access, token }, signal) => {
    if (token) {
      const present = await token.current(signal);
      return { kubeconfig: kubeconfigOf(access, { token: present.token }), expires_at: present.expiresAt };
    }
    const { certificate } = access;
    const user = {
      ...(access.token !== null && { token: access.token }),
      ...(certificate && {
        'client-certificate-data': base64(certificate.cert),
        'client-key-data': base64(certificate.key),
      }),
    };
    const expires_at = new Date(Date.now() + accessSeconds * 1_000).toISOString();
    return { kubeconfig: kubeconfigOf(access, user), expires_at };
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function kubeconfigOf({ server, ca, isInsecure, proxyUrl }: KubeAccess, user: object): string {
  const way = {
    ...(ca !== null && { 'certificate-authority-data': base64(ca) }),
    ...(isInsecure && { 'insecure-skip-tls-verify': true }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'berth',
    clusters: [{ name: 'berth', cluster: { server, ...way } }],
    users: [{ name: 'berth', user }],
    contexts: [{ name: 'berth', context: { cluster: 'berth', user: 'berth' } }],
  });
}
