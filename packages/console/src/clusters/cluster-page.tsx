import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMay } from '../api/me.ts';
import { nameIn, useEnvs, useKinds } from '../api/names.ts';
import { type One, oneOf, type Row } from '../api/reads.ts';
import { nameColumn, stateColumn, whyColumn } from '../deployments/facts/usual-columns.tsx';
import { PageOf } from '../shell/page-of.tsx';
import { Page } from '../shell/page.tsx';
import { Ago } from '../ui/age.tsx';
import { Empty } from '../ui/reading/problem.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { Glyph, State } from '../ui/state.tsx';
import { ClusterActions } from './cluster-actions.tsx';
import { ClusterFacts } from './cluster-facts.tsx';
import { ClusterSettings } from './cluster-settings.tsx';
import { clusterState } from './cluster-state.ts';
import { TrackedResources } from './tracked-resources.tsx';
import './clusters.css';

/** One cluster: whether it answers and why not, what runs there, and its settings. */
export function ClusterPage() {
  const { id } = useParams({ from: '/inside/clusters/$id' });
  const cluster = useQuery(oneOf('k8sClusters', id));
  return (
    <PageOf of={cluster} title="Cluster" crumbs={[{ words: 'Clusters', to: '/clusters' }]}>
      {(read) => <Shown {...read} />}
    </PageOf>
  );
}

function Shown({ row, etag }: One<Row<'k8sClusters'>>) {
  const envs = useEnvs();
  const may = useMay()('k8sClusters', 'update');
  return (
    <Page
      title={row.name}
      crumbs={[{ words: 'Clusters', to: '/clusters' }]}
      state={
        <>
          <State {...clusterState(row)} />
          <span className="muted">
            {row.env_id === null ? (
              'in no env'
            ) : (
              <>
                in{' '}
                <Link to="/envs/$id/{-$tab}" params={{ id: row.env_id, tab: undefined }}>
                  {nameIn(envs, row.env_id)}
                </Link>
              </>
            )}
          </span>
        </>
      }
      actions={<ClusterActions cluster={row} etag={etag} />}
    >
      <Attention cluster={row} />
      <div className="columns">
        <div>
          <DeploymentsThere id={row.id} />
          <TrackedResources id={row.id} />
        </div>
        <div>
          <ClusterFacts cluster={row} />
          {may.allowed ? (
            <ClusterSettings cluster={row} etag={etag} />
          ) : (
            <p className="meta">Its settings are changed by {may.needs}.</p>
          )}
        </div>
      </div>
    </Page>
  );
}

/** What is wrong with it, since when, and what follows. */
function Attention({ cluster: { ignore, is_ok, not_ok_reason, last_seen_at } }: { cluster: Row<'k8sClusters'> }) {
  if (!ignore && is_ok) return null;
  const tone = ignore ? 'warn' : 'bad';
  return (
    <section className={`notice banner ${tone}`} aria-label="What needs attention">
      <Glyph tone={tone} />
      <div>
        {ignore ? (
          <p>
            <strong>Berth ignores this cluster.</strong> Nothing is deployed there, and what is shown of it is as old as
            the decision.
          </p>
        ) : (
          <p>
            <strong>{not_ok_reason ?? 'It does not answer.'}</strong> It last answered <Ago time={last_seen_at} />.
          </p>
        )}
        {ignore && not_ok_reason !== null && <p>{not_ok_reason}</p>}
        <p className="next">
          {ignore
            ? 'A site admin decides whether it is used.'
            : 'Tasks for it wait, and the health of its deployments is unknown, until it answers again.'}
        </p>
      </div>
    </section>
  );
}

function DeploymentsThere({ id }: { id: string }) {
  const kinds = useKinds();
  return (
    <section className="section">
      <header>
        <h2>What runs there</h2>
      </header>
      <Rows
        label="Deployments of the cluster"
        resource="deployments"
        query={{ cluster_id: id, sort: 'name' }}
        empty={<Empty title="No deployment that you may see is there" />}
        columns={[stateColumn, nameColumn(kinds), whyColumn]}
      />
    </section>
  );
}
