import type { Bus } from '@berth/bus/bus';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { LRUCache } from 'lru-cache';

const mostKept = 20_000;
/** A token is reused while it stays valid for at least this long. */
const leastMs = 120_000;
/** Maximum time of reuse: auth's clock may be ahead, so the token may expire sooner than it seems. */
const mostMs = 180_000;

export interface PolledPath {
  deployment_id: string;
  path: string;
}

/** Tokens for polls, reused while they are valid: with one for each poll, auth would sign hundreds a second. */
export function createCallTokens({ bus }: { bus: Pick<Bus, 'call'> }) {
  const kept = new LRUCache<string, { token: string; goodUntil: number }>({ max: mostKept });

  return async ({ deployment_id, path }: PolledPath, deadlineMs: number): Promise<string> => {
    const key = `${deployment_id} ${path}`;
    const known = kept.get(key);
    if (known && known.goodUntil > performance.now()) return known.token;

    const { access_token: token, expires_at } = await bus.call(
      deploymentTokens.operations.issue_for_call,
      { body: { deployment_id, method: 'GET', path } },
      { deadlineMs },
    );
    const reusableMs = Math.min(Date.parse(expires_at) - Date.now() - leastMs, mostMs);
    kept.set(key, { token, goodUntil: performance.now() + reusableMs });
    return token;
  };
}
export type CallTokens = ReturnType<typeof createCallTokens>;
