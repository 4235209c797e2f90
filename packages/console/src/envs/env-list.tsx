import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMay, useMe } from '../api/me.ts';
import { useClusters } from '../api/names.ts';
import { type ListQuery, pageOf } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { Age } from '../ui/age.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Empty } from '../ui/reading/problem.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { Glyph } from '../ui/state.tsx';
import { unwellByEnv } from './unwell-by-env.ts';
import { NewEnvDialog } from './new-env-dialog.tsx';

const sorts = ['name', '-name', 'created_at', '-created_at'] as const;

/** The envs that the viewer may see. Their counts come from two reads for all of them. */
export function EnvList() {
  const may = useMay();
  const { identity } = useMe();
  const [address, change] = useAddress();
  const [isNew, setIsNew] = useState(false);
  const clusters = [...useClusters().values()];
  const unwell = useQuery(pageOf('deployments', { needs_attention: true, page: 1, per_page: 100 }));
  const counts = unwellByEnv(unwell.data);
  const create = may('envs', 'create');
  const query: ListQuery<'envs'> = { sort: sorts.find((sort) => sort === address['sort']) ?? 'name' };
  const open = () => setIsNew(true);

  return (
    <Page
      title="Envs"
      actions={
        create.allowed ? (
          <Button className="button primary" onPress={open}>
            New env
          </Button>
        ) : (
          <span className="meta">Envs are created by {create.needs}</span>
        )
      }
    >
      <Rows
        label="Envs"
        resource="envs"
        query={query}
        sort={{ value: query.sort, onChange: (sort) => change({ sort }) }}
        empty={
          create.allowed ? (
            <Empty title="There are no envs yet">
              <p>An env has clusters, members and secrets of its own; nobody else sees what is in it.</p>
              <Button className="button" onPress={open}>
                New env
              </Button>
            </Empty>
          ) : (
            <Empty title="You are not a member of any env">
              <p>An admin of an env can add you to it. What is in it then appears here.</p>
            </Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            width: 'minmax(140px, 2fr)',
            sort: 'name',
            className: 'cell-name',
            narrow: 'first',
            cell: ({ id, name }) => (
              <Link to="/envs/$id/{-$tab}" params={{ id, tab: undefined }} data-row-link>
                {name}
              </Link>
            ),
          },
          {
            title: 'Needs attention',
            width: '128px',
            narrow: 'first',
            cell: ({ id }) => {
              const count = counts.get(id);
              return count === undefined ? null : (
                <Link className="state bad" to="/deployments" search={{ env: id, attention: 'true' }}>
                  <Glyph tone="bad" />
                  {count}
                </Link>
              );
            },
          },
          {
            title: 'Clusters',
            width: 'minmax(120px, 2fr)',
            narrow: 'second',
            cell: ({ id }) => {
              const names = clusters.filter(({ env_id }) => env_id === id).map(({ name }) => name);
              return names.length === 0 ? <span className="muted">no cluster</span> : names.sort().join(', ');
            },
          },
          {
            title: 'Your role',
            width: 'minmax(88px, 1fr)',
            className: 'muted',
            cell: ({ id }) => (identity.is_admin ? 'Site admin' : identity.env_roles[id]),
          },
          {
            title: 'New users',
            width: 'minmax(112px, 1fr)',
            className: 'muted',
            cell: ({ auto_add_new_users }) => (auto_add_new_users ? 'become members' : ''),
          },
          {
            title: 'Created',
            width: '112px',
            sort: 'created_at',
            className: 'muted',
            cell: ({ created_at }) => <Age time={created_at} />,
          },
        ]}
      />
      {isNew && <NewEnvDialog onClose={() => setIsNew(false)} />}
    </Page>
  );
}
