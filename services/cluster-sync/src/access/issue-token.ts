import { Timestamp } from '@berth/contracts/fields/fields';
import { AppError } from '@berth/contracts/errors';
import type { KubeApi } from '@berth/kube/kube-api';
import { KubeError, nullIfExists } from '@berth/kube/kube-error';
import { z } from 'zod';
import type { Account } from '../bindings/role-binding.ts';
import { accountObject, paths } from './deployer-account.ts';

/** A short-lived token that the cluster itself signs: never log it, never store it. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: string;
}

const TokenAnswer = z.object({
  status: z.object({ token: z.string().min(1), expirationTimestamp: Timestamp }),
});

const deadlineMs = 5_000;
/** Clusters do not grant a shorter lifetime. */
const leastSeconds = 600;

export async function issueToken(
  api: Pick<KubeApi, 'postJson'>,
  account: Account,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<IssuedToken> {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: Math.max(seconds, leastSeconds) },
  };
  const answer = TokenAnswer.safeParse(
    await api.postJson(paths.token(account), request, { signal, deadlineMs, answer: 'token' }),
  );
  // The parser's error is not the cause, since it may quote the token.
  if (!answer.success) throw new AppError('unavailable', 'The answer of the cluster to the token request is malformed');
  const { token, expirationTimestamp } = answer.data.status;
  return { token, expiresAt: expirationTimestamp };
}

interface OfOwn {
  readonly seconds: number;
  /** The account most likely is missing. */
  readonly isNew: boolean;
  /** Called once the account was created. */
  readonly onMade: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** A token of an account, which is created if it is missing. */
export async function issueTokenOfOwn(
  api: Pick<KubeApi, 'postJson'>,
  account: Account,
  { isNew, onMade, ...options }: OfOwn,
): Promise<IssuedToken> {
  const make = async () => {
    await makeAccount(api, account, options.signal);
    const [issued] = await Promise.all([issueToken(api, account, options), onMade()]);
    return issued;
  };
  if (isNew) return make();
  return issueToken(api, account, options).catch((error: unknown) => {
    if (!(error instanceof KubeError) || error.status !== 404) throw error;
    return make();
  });
}

const makeAccount = async (api: Pick<KubeApi, 'postJson'>, account: Account, signal: AbortSignal): Promise<void> => {
  const folder = paths.accounts(account.namespace);
  await nullIfExists(api.postJson(folder, accountObject(account), { signal, deadlineMs }));
};
