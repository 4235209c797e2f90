import type { Bus } from '@berth/shared/bus/bus';
import { deploymentTokens } from '@berth/shared/contracts/resources/deployment-tokens';

const mostKept = 20_000;
/** A token is used again while it lasts for this long. */
const leastMs = 120_000;
/** However much longer it would last by this machine's clock: the one of auth may be ahead. */
const mostMs = 180_000;

export interface PolledPath {
  deployment_id: string;
  path: string;
}

/** Tokens for polls, used again while they last: one for each poll would have auth sign hundreds in a second. */
export function createCallTokens({ bus }: { bus: Pick<Bus, 'call'> }) {
  const kept = new Map<string, { token: string; goodUntil: number }>();

  return async ({ deployment_id, path }: PolledPath, deadlineMs: number): Promise<string> => {
    const key = `${deployment_id} ${path}`;
    const known = kept.get(key);
    if (known && known.goodUntil > performance.now()) return known.token;

    kept.delete(key);
    const { access_token: token, expires_at } = await bus.call(
      deploymentTokens.operations.issue_for_call,
      { body: { deployment_id, method: 'GET', path } },
      { deadlineMs },
    );
    const reusableMs = Math.min(Date.parse(expires_at) - Date.now() - leastMs, mostMs);
    kept.set(key, { token, goodUntil: performance.now() + reusableMs });
    // The Map keeps the order of insertion.
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break;
      kept.delete(oldest);
    }
    return token;
  };
}
export type CallTokens = ReturnType<typeof createCallTokens>;
