import { Timestamp } from '@berth/shared/contracts/fields';
import { AppError } from '@berth/shared/errors';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { Connection } from '../discovery/cluster-directory.ts';
import { describeFailure } from '../kube/describe-failure.ts';
import type { KubeApi } from '../kube/kube-api.ts';
import { KubeError } from '../kube/kube-error.ts';
import { runnerAccount, runnerNamespace, runnerObjects } from './runner-account.ts';

export interface IssuedAccess {
  /** Holds a token that makes its bearer an admin of the cluster: never log it, never store it. */
  readonly kubeconfig: string;
  readonly expires_at: string;
}

export interface IssueAccessOptions {
  readonly connection: Pick<Connection, 'access' | 'api'>;
  readonly lifetimeSeconds: number;
  readonly signal: AbortSignal;
}

const TokenAnswer = z.object({
  status: z.object({ token: z.string().min(1), expirationTimestamp: Timestamp }),
});

const deadlineMs = 5_000;
const tokenPath = `/api/v1/namespaces/${runnerNamespace}/serviceaccounts/${runnerAccount}/token`;

/** Clusters whose account was seen to by this process; it is looked at again when a token is refused for lack of it. */
const prepared = new WeakSet<KubeApi>();

/** A kubeconfig that works for a while, made of a token the cluster itself signs. */
export async function issueAccess({ connection, lifetimeSeconds, signal }: IssueAccessOptions): Promise<IssuedAccess> {
  const { api, access } = connection;
  try {
    if (!prepared.has(api)) await prepare(api, signal);
    const token = await requestToken(api, lifetimeSeconds, signal).catch(async (error: unknown) => {
      if (!(error instanceof KubeError) || error.status !== 404) throw error;
      // Somebody removed the account meanwhile.
      await prepare(api, signal);
      return requestToken(api, lifetimeSeconds, signal);
    });
    return {
      kubeconfig: kubeconfigWith({ server: access.server, ca: access.ca, token: token.token }),
      expires_at: token.expirationTimestamp,
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('unavailable', `The cluster gives no access: ${describeFailure(error, api.server)}`, {
      cause: error,
    });
  }
}

async function prepare(api: KubeApi, signal: AbortSignal): Promise<void> {
  for (const { path, object } of runnerObjects) {
    await api.postJson(path, object, { signal, deadlineMs }).catch((error: unknown) => {
      if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error;
    });
  }
  prepared.add(api);
}

async function requestToken(api: KubeApi, lifetimeSeconds: number, signal: AbortSignal) {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: lifetimeSeconds },
  };
  const answer = TokenAnswer.safeParse(await api.postJson(tokenPath, request, { signal, deadlineMs }));
  // Not the parser's own error: what it could not read may be the token.
  if (!answer.success)
    throw new AppError('unavailable', 'The cluster answered the request for a token with something else');
  return answer.data.status;
}

function kubeconfigWith({ server, ca, token }: { server: string; ca: string | null; token: string }): string {
  const authority = ca === null ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'berth',
    clusters: [{ name: 'berth', cluster: { server, ...authority } }],
    users: [{ name: 'berth', user: { token } }],
    contexts: [{ name: 'berth', context: { cluster: 'berth', user: 'berth' } }],
  });
}
