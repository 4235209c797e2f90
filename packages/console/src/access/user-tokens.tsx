import { unwrap } from '@berth/client';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { useMe } from '../api/me.ts';
import type { ListQuery, Row } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { Age } from '../ui/age.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Empty } from '../ui/reading/problem.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { createdColumn } from '../ui/page/usual-columns.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { Expires } from './expires.tsx';
import { IssueToken } from './issue-token.tsx';
import { nameOfToken } from './name-of-token.ts';
import './access.css';

const sorts = [
  'created_at',
  '-created_at',
  'name',
  '-name',
  'expires_at',
  '-expires_at',
  'last_used_at',
  '-last_used_at',
] as const;

/** The tokens with which programs act as the person who is signed in. */
export function UserTokens() {
  const { user } = useMe();
  const [address, change] = useAddress();
  const [isNew, setIsNew] = useState(false);
  const [revoked, setRevoked] = useState<Row<'userTokens'> | null>(null);
  const query: ListQuery<'userTokens'> = {
    user_id: user.id,
    sort: sorts.find((sort) => sort === address['sort']) ?? '-created_at',
  };
  const open = () => setIsNew(true);

  return (
    <Page
      title="Your tokens"
      state={<span className="muted">Programs act as {user.display_name} with them</span>}
      actions={
        <Button className="button primary" onPress={open}>
          New token
        </Button>
      }
    >
      <Rows
        label="Your tokens"
        resource="userTokens"
        query={query}
        sort={{ value: query.sort, onChange: (sort) => change({ sort }) }}
        empty={
          <Empty title="You have no tokens">
            <p>The command line and pipelines call the platform with a token instead of a sign-in.</p>
            <Button className="button" onPress={open}>
              New token
            </Button>
          </Empty>
        }
        columns={[
          {
            title: 'Name',
            width: 'minmax(140px, 2fr)',
            sort: 'name',
            className: 'cell-name',
            narrow: 'first',
            cell: (token) => nameOfToken(token),
          },
          { title: 'Id', width: '96px', className: 'mono muted', cell: ({ id }) => id.slice(0, 8) },
          createdColumn(),
          {
            title: 'Last used',
            width: '112px',
            sort: 'last_used_at',
            className: 'muted',
            cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Age time={last_used_at} />),
          },
          {
            title: 'Expires',
            width: 'minmax(104px, 1fr)',
            sort: 'expires_at',
            narrow: 'second',
            cell: ({ expires_at }) => <Expires at={expires_at} />,
          },
          {
            title: 'Revoke',
            hideTitle: true,
            width: '96px',
            narrow: 'first',
            className: 'row-actions',
            cell: (token) => (
              <Button
                className="button small"
                aria-label={`Revoke ${nameOfToken(token)}`}
                onPress={() => setRevoked(token)}
              >
                Revoke …
              </Button>
            ),
          },
        ]}
      />
      {isNew && (
        <IssueToken
          title="New token"
          allows="Whoever has it can do everything that you can."
          create={async (token) => unwrap(await berth.userTokens.create({ body: { user_id: null, ...token } }))}
          onClose={() => setIsNew(false)}
        />
      )}
      {revoked && (
        <RevokeToken
          token={revoked}
          onClose={() => setRevoked(null)}
          revoke={async (id) => unwrap(await berth.userTokens.delete({ id }))}
        />
      )}
    </Page>
  );
}
