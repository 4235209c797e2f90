import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import type { TokenRow } from './credential-repository.ts';

const tables: Record<TokenRow['holder'], string> = { user: 'user_tokens', bot: 'bot_tokens' };

export const createTokenUseRepository = (db: Queries) => ({
  /** Sets `last_used_at` at most once a minute for each token; a locked row is left to the other replica. */
  mark: async (holder: TokenRow['holder'], ids: readonly string[]): Promise<void> => {
    const tokens = sql.identifier([tables[holder]]);
    await db.query(statement`
      with stale as (
        select id from ${tokens}
        where id = any(${sql.array([...ids], 'uuid')})
          and (last_used_at is null or last_used_at < now() - interval '1 minute')
        for update skip locked
      )
      update ${tokens} t set last_used_at = now() from stale where t.id = stale.id
    `);
  },
});
