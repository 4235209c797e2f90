import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { nameIn, useUsers } from '../api/names.ts';
import { allOf, oneOf, type Row } from '../api/reads.ts';
import { Age } from '../ui/age.tsx';
import { Icon } from '../ui/icons.tsx';
import { Reading } from '../ui/reading/reading.tsx';
import { Expires } from './expires.tsx';
import { IssueToken } from './issue-token.tsx';
import { nameOfToken } from './name-of-token.ts';
import { RevokeToken } from './revoke-token.tsx';

/** The tokens of one bot. */
export function BotTokens({ id, onClose }: { id: string; onClose: () => void }) {
  const bot = useQuery(oneOf('bots', id));
  const tokens = useQuery(allOf('botTokens', { bot_id: id }));
  const users = useUsers();
  const [isNew, setIsNew] = useState(false);
  const [revoked, setRevoked] = useState<Row<'botTokens'> | null>(null);
  const name = bot.data?.row.display_name ?? '';

  return (
    <section className="panel bot-tokens" aria-label="Tokens of the bot">
      <Reading of={bot} rows={1}>
        {({ row }) => (
          <>
            <header>
              <h2>Tokens of {row.display_name}</h2>
              {!row.is_active && <span className="muted">They are refused while it is inactive</span>}
              <span className="bot-tokens-actions">
                <Button className="button small" onPress={() => setIsNew(true)}>
                  Issue a token
                </Button>
                <Button className="button bare small" aria-label="Close the tokens" onPress={onClose}>
                  <Icon name="close" />
                </Button>
              </span>
            </header>
            <Reading of={tokens} rows={1}>
              {(rows) =>
                rows.length === 0 ? (
                  <p className="muted">It has no tokens yet, so no program can act as it.</p>
                ) : (
                  <ul className="lines">
                    {rows.map((token) => (
                      <li key={token.id}>
                        <Icon name="key" />
                        <span>
                          {nameOfToken(token)} <span className="mono muted">{token.id.slice(0, 8)}</span>
                        </span>
                        <Button
                          className="button small"
                          aria-label={`Revoke ${nameOfToken(token)}`}
                          onPress={() => setRevoked(token)}
                        >
                          Revoke …
                        </Button>
                        <span className="meta">
                          {token.expires_at !== null && 'expires '}
                          <Expires at={token.expires_at} /> · last used{' '}
                          {token.last_used_at === null ? 'never' : <Age time={token.last_used_at} />} · issued{' '}
                          <Age time={token.created_at} /> by {nameIn(users, token.created_by_user_id)}
                        </span>
                      </li>
                    ))}
                  </ul>
                )
              }
            </Reading>
          </>
        )}
      </Reading>
      {isNew && (
        <IssueToken
          title={`New token of ${name}`}
          allows="Whoever has it sees everything, and may do what maintainers may."
          create={async (token) => unwrap(await berth.botTokens.create({ body: { bot_id: id, ...token } }))}
          onClose={() => setIsNew(false)}
        />
      )}
      {revoked && (
        <RevokeToken
          token={revoked}
          of={name}
          onClose={() => setRevoked(null)}
          revoke={async (tokenId) => unwrap(await berth.botTokens.delete({ id: tokenId }))}
        />
      )}
    </section>
  );
}
