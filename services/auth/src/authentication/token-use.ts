import type { Database } from '@berth/db/database';
import type { Service } from '@berth/service/service';
import type { TokenRow } from './credential-repository.ts';
import { createTokenUseRepository } from './token-use-repository.ts';

type Holder = TokenRow['holder'];
const holders = ['user', 'bot'] as const satisfies Holder[];

/** Its disposal, after the last request, writes the uses that are still noted. */
export interface TokenUse extends AsyncDisposable {
  /** Notes the use for the next write, so that the request does not wait. */
  note(holder: Holder, tokenId: string): void;
  write(): Promise<void>;
}

export interface TokenUseDeps {
  db: Database;
  log: Service['log'];
}

/** Uses past this limit are dropped until the next write; the next request of the token notes it again. */
const maxNoted = 5_000;

/** Records when tokens were last used, to the minute and outside of requests. */
export function createTokenUse({ db, log }: TokenUseDeps): TokenUse {
  const tokenUseRepository = createTokenUseRepository(db);
  const noted: Record<Holder, Set<string>> = { user: new Set(), bot: new Set() };

  const takeNoted = (holder: Holder): string[] => {
    const ids = [...noted[holder]];
    noted[holder].clear();
    return ids;
  };

  async function write(): Promise<void> {
    const taken = holders.map((holder) => [holder, takeNoted(holder)] as const);
    try {
      for (const [holder, ids] of taken) if (ids.length > 0) await tokenUseRepository.mark(holder, ids);
    } catch (error) {
      log.warn({ err: error }, 'the last use of tokens was not written');
    }
  }

  return {
    note(holder, tokenId) {
      if (noted[holder].size < maxNoted) noted[holder].add(tokenId);
    },
    write,
    [Symbol.asyncDispose]: write,
  };
}
