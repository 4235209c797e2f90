import { Link } from '@tanstack/react-router';
import { nameIn, useEnvs } from '../api/names.ts';
import type { Row } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { Age } from '../ui/age.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Empty } from '../ui/reading/problem.tsx';
import type { Column } from '../ui/reading/line.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { State } from '../ui/state.tsx';
import { clusterState } from './cluster-state.ts';

/** The clusters that Berth has found. Those that do not answer come first. */
export function ClusterList() {
  const { env } = useAddress()[0];
  const envs = useEnvs();
  const columns: Column<Row<'k8sClusters'>>[] = [
    { title: 'State', width: '128px', narrow: 'first', cell: (row) => <State {...clusterState(row)} /> },
    {
      title: 'Name',
      width: 'minmax(140px, 1.4fr)',
      className: 'cell-name',
      narrow: 'first',
      cell: ({ id, name }) => (
        <Link to="/clusters/$id" params={{ id }} data-row-link>
          {name}
        </Link>
      ),
    },
    {
      title: 'Env',
      width: 'minmax(80px, .8fr)',
      cell: ({ env_id }) => (env_id === null ? <span className="muted">none</span> : nameIn(envs, env_id)),
    },
    { title: 'Region', width: 'minmax(90px, .8fr)', cell: ({ region_name }) => region_name },
    {
      title: 'Why',
      width: 'minmax(180px, 2.4fr)',
      narrow: 'second',
      className: 'muted',
      cell: ({ not_ok_reason }) => not_ok_reason !== null && <span title={not_ok_reason}>{not_ok_reason}</span>,
    },
    { title: 'Ingress domain', width: 'minmax(120px, 1.2fr)', cell: ({ ingress_domain }) => ingress_domain },
    { title: 'Answered', width: '84px', className: 'muted', cell: ({ last_seen_at }) => <Age time={last_seen_at} /> },
  ];
  return (
    <Page title="Clusters">
      <Rows
        label="Clusters"
        resource="k8sClusters"
        query={{ ...(env && { env_id: env }), sort: 'is_ok' }}
        columns={columns}
        empty={
          env === undefined ? (
            <Empty title="There are no clusters yet">
              <p>An operator names the kubeconfig or the cloud account in which Berth looks for clusters.</p>
            </Empty>
          ) : (
            <Empty title="The env has no cluster">
              <p>A site admin gives it one: on the page of a cluster, under Settings.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
