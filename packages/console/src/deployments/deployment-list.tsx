import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useClusters, useEnvs, useKinds, nameIn } from '../api/names.ts';
import { type ListQuery, pageOf, type Row } from '../api/reads.ts';
import { useAddress } from '../ui/page/address.ts';
import { Choose } from '../ui/inputs/choose.tsx';
import { Page } from '../shell/page.tsx';
import { Empty } from '../ui/reading/problem.tsx';
import { type Column, Rows } from '../ui/reading/rows.tsx';
import { State } from '../ui/state.tsx';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { deploymentState } from './deployment-state.ts';

type Deployment = Row<'deployments'>;

const healths = ['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Unknown'] as const;

export function DeploymentList() {
  const [address, change] = useAddress();
  const [envs, clusters, kinds] = [useEnvs(), useClusters(), useKinds()];
  const query: ListQuery<'deployments'> = {
    name: address['name'],
    env_id: address.env,
    cluster_id: address['cluster'],
    kind_id: address['kind'],
    health: healths.find((state) => state === address['health']),
    sort: (address['sort'] ?? 'name') as 'name',
  };
  const { data } = useQuery(pageOf('deployments', { ...query, page: 1, per_page: 100 }));
  const choices = (rows: ReadonlyMap<string, { id: string; name: string }>) =>
    [...rows.values()].map(({ id, name }) => ({ id, words: name })).sort((a, b) => a.words.localeCompare(b.words));

  const columns: Column<Deployment>[] = [
    { title: 'State', width: '132px', sort: 'health', cell: (row) => <State {...deploymentState(row)} /> },
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
      title: 'Why',
      width: 'minmax(160px, 2.4fr)',
      className: 'muted',
      cell: ({ reason }) => <span title={reason ?? ''}>{reason}</span>,
    },
  ];

  return (
    <Page title="Deployments">
      <div className="filters">
        <div data-key="filter">
          <TextInput
            label=""
            aria-label="Filter by name"
            placeholder="Filter by name"
            value={address['name'] ?? ''}
            onChange={(name) => change({ name })}
          />
        </div>
        <Choose
          label="State"
          inline
          none="Any state"
          choices={healths.map((id) => ({ id, words: id }))}
          value={address['health'] ?? null}
          onChange={(health) => change({ health })}
        />
        <Choose
          label="Kind"
          inline
          none="Any kind"
          choices={choices(kinds)}
          value={address['kind'] ?? null}
          onChange={(kind) => change({ kind })}
        />
        <Choose
          label="Cluster"
          inline
          none="Any cluster"
          choices={choices(clusters)}
          value={address['cluster'] ?? null}
          onChange={(cluster) => change({ cluster })}
        />
        <span className="meta">{data && `${data.num_total.toLocaleString()} deployments`}</span>
      </div>
      <Rows
        label="Deployments"
        resource="deployments"
        query={query}
        columns={columns}
        sort={{ value: query.sort, onChange: (sort) => change({ sort }) }}
        empty={<Empty title="No deployments match">Change the filters, or create a deployment.</Empty>}
      />
    </Page>
  );
}
