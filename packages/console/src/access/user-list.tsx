import { unwrap } from '@berth/client';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { useMay, useMe } from '../api/me.ts';
import type { ListQuery, Row } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { Choose } from '../ui/inputs/choose.tsx';
import { FilterByText } from '../ui/inputs/filter-by-text.tsx';
import { useAddress } from '../ui/page/address.ts';
import { OnlyFor } from '../ui/reading/only-for.tsx';
import { Empty, Problem } from '../ui/reading/problem.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { actionsColumn, createdColumn } from '../ui/page/usual-columns.tsx';
import { activeColumn, useActivation } from './activity.tsx';
import { ChangeGlobalRole, DeactivateUser } from './user-dialogs.tsx';

type User = Row<'users'>;
type Asked = { what: 'deactivate' | 'role'; user: User } | null;

const sorts = [
  'is_active',
  '-is_active',
  'display_name',
  '-display_name',
  'created_at',
  '-created_at',
  'is_admin',
  '-is_admin',
] as const;

/** Everyone who has ever signed in. Those who wait for activation come first. */
export function UserList() {
  const permission = useMay()('users', 'update');
  const { user: me } = useMe();
  const [address, change] = useAddress();
  const [asked, setAsked] = useState<Asked>(null);
  const { activate, error } = useActivation('users', async (id) =>
    unwrap(await berth.users.update({ id, body: { is_active: true } })),
  );
  const query = queryOf(address);
  const isFiltered = Object.keys(query).length > 1;
  const close = () => setAsked(null);

  if (!permission.allowed) {
    return (
      <Page title="Users">
        <OnlyFor what="The administration of users" permission={permission} />
      </Page>
    );
  }
  return (
    <Page title="Users">
      <div className="filters" role="search" aria-label="Filters of users">
        <FilterByText label="Filter by name" value={address['name'] ?? ''} onChange={(name) => change({ name })} />
        <FilterByText label="Filter by e-mail" value={address['email'] ?? ''} onChange={(email) => change({ email })} />
        <Choose
          label="State"
          inline
          none="Active or not"
          choices={[
            { id: 'false', words: 'Inactive' },
            { id: 'true', words: 'Active' },
          ]}
          value={address['active'] ?? null}
          onChange={(active) => change({ active })}
        />
        {isFiltered && (
          <Button className="button bare" onPress={() => change({ name: null, email: null, active: null })}>
            Clear
          </Button>
        )}
      </div>
      {error !== null && <Problem error={error} />}
      <Rows
        label="Users"
        resource="users"
        query={query}
        sort={{ value: query.sort, onChange: (sort) => change({ sort }) }}
        empty={
          <Empty title="No user matches these filters">Users appear here when they sign in for the first time.</Empty>
        }
        columns={[
          activeColumn('warn', 'second'),
          {
            title: 'Name',
            width: 'minmax(140px, 2fr)',
            sort: 'display_name',
            className: 'cell-name',
            narrow: 'first',
            cell: ({ id, display_name }) => (
              <>
                {display_name}
                {id === me.id && <span className="kind"> you</span>}
              </>
            ),
          },
          { title: 'E-mail', width: 'minmax(160px, 2fr)', className: 'muted', cell: ({ email }) => email },
          {
            title: 'Global role',
            width: 'minmax(96px, 1fr)',
            sort: 'is_admin',
            cell: ({ is_admin }) => (is_admin ? 'Site admin' : <span className="muted">none</span>),
          },
          createdColumn('First sign-in'),
          actionsColumn<User>({
            nameOf: ({ display_name }) => display_name,
            width: '136px',
            before: (user) =>
              !user.is_active && (
                <Button
                  className="button small"
                  aria-label={`Activate ${user.display_name}`}
                  onPress={() => void activate(user)}
                >
                  Activate
                </Button>
              ),
            actionsOf: (user) => {
              const unless = user.id === me.id ? 'not for your own account' : undefined;
              return [
                { words: 'Change Global Role …', onAction: () => setAsked({ what: 'role', user }), permission, unless },
                user.is_active
                  ? {
                      words: 'Deactivate …',
                      onAction: () => setAsked({ what: 'deactivate', user }),
                      permission,
                      unless,
                      destroys: true,
                    }
                  : { words: 'Activate', onAction: () => void activate(user), permission },
              ];
            },
          }),
        ]}
      />
      {asked?.what === 'role' && <ChangeGlobalRole user={asked.user} onClose={close} />}
      {asked?.what === 'deactivate' && (
        <DeactivateUser user={asked.user} onClose={close} onUndo={() => void activate(asked.user)} />
      )}
    </Page>
  );
}

function queryOf({ name, email, active, sort }: Record<string, string | undefined>): ListQuery<'users'> {
  return {
    ...(name && { display_name: name }),
    ...(email && { email }),
    ...((active === 'true' || active === 'false') && { is_active: active === 'true' }),
    sort: sorts.find((known) => known === sort) ?? 'is_active',
  };
}
