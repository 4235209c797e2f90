import type { Database } from '@berth/db/database';
import type { Service } from '@berth/service/service';
import { createBotTokenRepository } from '../bots/bot-token-repository.ts';
import { createUserTokenRepository } from '../tokens/user-token-repository.ts';
import type { TokenRow } from './credential-repository.ts';

type Holder = TokenRow['holder'];

/** Disposed of after the last request, it writes what is still noted. */
export interface TokenUse extends AsyncDisposable {
  /** Remembers it for the next write; costs the request nothing. */
  note(holder: Holder, tokenId: string): void;
  /** Writes what was noted. */
  write(): Promise<void>;
}

export interface TokenUseDeps {
  db: Database;
  log: Service['log'];
}

/** More than this between two writes is not remembered: the next request of the token notes it again. */
const maxNoted = 5_000;

/** When tokens were last used, to the minute and off the path of requests. */
export function createTokenUse({ db, log }: TokenUseDeps): TokenUse {
  const noted: Record<Holder, Set<string>> = { user: new Set(), bot: new Set() };

  const takeNoted = (holder: Holder): string[] => {
    const ids = [...noted[holder]];
    noted[holder].clear();
    return ids;
  };

  async function write(): Promise<void> {
    const [ofUsers, ofBots] = [takeNoted('user'), takeNoted('bot')];
    try {
      if (ofUsers.length > 0) await createUserTokenRepository(db).markUsed(ofUsers);
      if (ofBots.length > 0) await createBotTokenRepository(db).markUsed(ofBots);
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
