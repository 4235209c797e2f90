import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { useMay } from '../api/me.ts';
import { choicesIn, nameIn, useClusters, useEnvs, useKinds, useUsers } from '../api/names.ts';
import { type ListQuery, pageOf, type Row } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { Age } from '../ui/age.tsx';
import { Choose } from '../ui/inputs/choose.tsx';
import { FilterByText } from '../ui/inputs/filter-by-text.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Empty } from '../ui/reading/problem.tsx';
import { RowCheck } from '../ui/reading/row-check.tsx';
import { type Column, Rows } from '../ui/reading/rows.tsx';
import { State } from '../ui/state.tsx';
import { BulkActions } from './bulk/bulk-actions.tsx';
import { useRevisions, useVersions } from './facts/columns.ts';
import { deploymentState, stateFilters } from './facts/deployment-state.ts';
import { SavedViews } from './saved-views.tsx';

type Deployment = Row<'deployments'>;

/** Every deployment that the viewer may see, one per line. */
export function DeploymentList() {
  const [address, change] = useAddress();
  const may = useMay();
  const [chosen, setChosen] = useState<ReadonlyMap<string, Deployment>>(new Map());
  const [inView, setInView] = useState<Deployment[]>([]);
  const rows = useDeferredValue(inView);
  const [envs, clusters, kinds, users] = [useEnvs(), useClusters(), useKinds(), useUsers()];
  const versions = useVersions(rows);
  const revisions = useRevisions(rows);
  const query = queryOf(address);
  const attention = useQuery(
    pageOf('deployments', { needs_attention: true, page: 1, per_page: 1, ...(address.env && { env_id: address.env }) }),
  );
  const isFiltered = Object.keys(query).some((key) => key !== 'sort' && key !== 'env_id');

  const choose = (row: Deployment, isChosen: boolean) => {
    const next = new Map(chosen);
    if (isChosen) next.set(row.id, row);
    else next.delete(row.id);
    setChosen(next);
  };

  const columns: Column<Deployment>[] = [
    {
      title: 'Choose',
      hideTitle: true,
      width: '40px',
      cell: (row) => (
        <RowCheck
          label={`Choose ${nameIn(kinds, row.kind_id)} / ${row.name}`}
          isSelected={chosen.has(row.id)}
          onChange={(isChosen) => choose(row, isChosen)}
        />
      ),
    },
    { title: 'State', width: '124px', sort: 'health', cell: (row) => <State {...deploymentState(row)} /> },
    {
      title: 'Name',
      width: 'minmax(180px, 2fr)',
      sort: 'name',
      className: 'cell-name',
      cell: ({ id, name, kind_id }) => (
        <Link to="/deployments/$id/{-$tab}" params={{ id, tab: undefined }} data-row-link>
          <span className="kind">{nameIn(kinds, kind_id)} / </span>
          {name || '—'}
        </Link>
      ),
    },
    { title: 'Env', width: 'minmax(72px, .7fr)', cell: ({ env_id }) => nameIn(envs, env_id) },
    { title: 'Cluster', width: 'minmax(72px, .7fr)', cell: ({ cluster_id }) => nameIn(clusters, cluster_id) },
    {
      title: 'Version',
      width: 'minmax(130px, 1.2fr)',
      cell: ({ helm_chart_id }) => {
        const version = versions.get(helm_chart_id);
        return (
          <>
            <span className="mono">{version?.parsed_version ?? version?.image_tag}</span>
            {version !== undefined && version.newer > 0 && <span className="newer">↑ {version.newer} newer</span>}
          </>
        );
      },
    },
    {
      title: 'Why',
      width: 'minmax(160px, 2.4fr)',
      className: 'muted',
      cell: ({ reason }) => <span title={reason ?? ''}>{reason}</span>,
    },
    {
      title: 'Changed',
      width: 'minmax(110px, .8fr)',
      className: 'muted',
      cell: ({ revision_id, created_at }) => {
        const revision = revision_id === null ? undefined : revisions.get(revision_id);
        return (
          <>
            <Age time={revision?.created_at ?? created_at} />
            {revision && revision.acting_user_id !== null && ` · ${nameIn(users, revision.acting_user_id)}`}
          </>
        );
      },
    },
  ];

  return (
    <Page
      title="Deployments"
      actions={
        <>
          <SavedViews />
          {may.somewhere('deployments', 'create') && (
            <Link className="button primary" to="/deployments/new">
              New deployment
            </Link>
          )}
        </>
      }
    >
      <div className="filters" role="search" aria-label="Filters of deployments">
        <FilterByText label="Filter by name" value={address['name'] ?? ''} onChange={(name) => change({ name })} />
        <ToggleButton
          className="button"
          isSelected={address['attention'] === 'true'}
          onChange={(on) => change({ attention: on ? 'true' : null })}
        >
          Needs attention
          {attention.data && <span className="count">{attention.data.num_total.toLocaleString()}</span>}
        </ToggleButton>
        <Choose
          label="State"
          inline
          none="Any state"
          choices={stateFilters}
          value={address['state'] ?? null}
          onChange={(state) => change({ state })}
        />
        <Choose
          label="Kind"
          inline
          none="Any kind"
          choices={choicesIn(kinds)}
          value={address['kind'] ?? null}
          onChange={(kind) => change({ kind })}
        />
        <Choose
          label="Cluster"
          inline
          none="Any cluster"
          choices={choicesIn(clusters)}
          value={address['cluster'] ?? null}
          onChange={(cluster) => change({ cluster })}
        />
        {isFiltered && (
          <Button
            className="button bare"
            onPress={() => change({ name: null, attention: null, state: null, kind: null, cluster: null, chart: null })}
          >
            Clear
          </Button>
        )}
        <Total query={query} />
      </div>
      {chosen.size > 0 && <BulkActions chosen={[...chosen.values()]} onDone={() => setChosen(new Map())} />}
      <Rows
        label="Deployments"
        resource="deployments"
        query={query}
        columns={columns}
        sort={{ value: query.sort, onChange: (sort) => change({ sort }) }}
        isSelected={({ id }) => chosen.has(id)}
        onView={setInView}
        empty={
          isFiltered ? (
            <Empty title="No deployment matches these filters" />
          ) : (
            <Empty title="There are no deployments yet">
              <p>A deployment is a chart, with its inputs, on a cluster of an env.</p>
              <Link className="button" to="/deployments/new">
                New deployment
              </Link>
            </Empty>
          )
        }
      />
    </Page>
  );
}

function Total({ query }: { query: ListQuery<'deployments'> }) {
  const { data, dataUpdatedAt } = useQuery(pageOf('deployments', { ...query, page: 1, per_page: 100 }));
  if (!data) return null;
  return (
    <span className="meta">
      {data.num_total.toLocaleString()} {data.num_total === 1 ? 'deployment' : 'deployments'} · as of{' '}
      <Age time={new Date(dataUpdatedAt).toISOString()} />
    </span>
  );
}

const sorts = ['name', '-name', 'health', '-health', 'created_at', '-created_at'] as const;

/** The query for an address. Values that the server does not know are left out. */
function queryOf(address: Record<string, string | undefined>): ListQuery<'deployments'> {
  const state = stateFilters.find(({ id }) => id === address['state']);
  const { name, env, kind, cluster, chart } = address;
  return {
    ...(name && { name }),
    ...(env && { env_id: env }),
    ...(kind && { kind_id: kind }),
    ...(cluster && { cluster_id: cluster }),
    ...(chart && { helm_chart_id: chart }),
    ...(address['attention'] === 'true' && { needs_attention: true }),
    ...state?.query,
    sort: sorts.find((sort) => sort === address['sort']) ?? 'name',
  };
}
