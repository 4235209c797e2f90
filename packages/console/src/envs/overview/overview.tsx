import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/me.ts';
import { nameIn, useClusters, useKinds } from '../../api/names.ts';
import { allOf, mostRows, type Row } from '../../api/reads.ts';
import { deploymentState } from '../../deployments/facts/deployment-state.ts';
import { Empty } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { Glyph, State } from '../../ui/state.tsx';
import type { OfEnv } from '../facts/env-row.ts';
import { gridOf, needsAttention } from './grid.ts';
import { useVersions } from './use-versions.ts';

type DeploymentRow = Row<'deployments'>;

/** Further deployments of a cell are a number that leads to the list. */
const mostInCell = 4;
const mostNamed = 5;

/** What runs in the env: first what is wrong, then each kind on each cluster. */
export default function Overview({ env }: OfEnv) {
  const deployments = useQuery(allOf('deployments', { env_id: env.id }));
  return <Reading of={deployments}>{(rows) => <WhatRuns env={env} rows={rows} />}</Reading>;
}

function WhatRuns({ env, rows }: { env: OfEnv['env']; rows: DeploymentRow[] }) {
  const may = useMay();
  const kinds = useKinds();
  const all = useClusters();
  const clusters = [...all.values()].filter(({ env_id }) => env_id === env.id);
  const grid = gridOf(rows, clusters, (id) => nameIn(kinds, id));
  const inCells = grid.kinds.flatMap(({ cells }) => cells.flatMap((cell) => cell.slice(0, mostInCell)));
  const versions = useVersions(inCells.map(({ helm_chart_id }) => helm_chart_id));

  if (rows.length === 0) {
    return (
      <div className="panel">
        {clusters.length === 0 ? (
          <Empty title="No cluster belongs to this env">
            <p>Deployments run on clusters. A site admin puts a cluster into the env on the cluster's page.</p>
            <Link className="button" to="/clusters">
              Show the clusters
            </Link>
          </Empty>
        ) : (
          <Empty title={`Nothing is deployed on ${clusters.map(({ name }) => name).join(', ')} yet`}>
            {may.somewhere('deployments', 'create') && (
              <Link className="button" to="/deployments/new">
                New deployment
              </Link>
            )}
          </Empty>
        )}
      </div>
    );
  }
  return (
    <>
      <Unwell env={env} rows={rows} />
      {rows.length === mostRows && (
        <p className="meta">
          The latest {mostRows.toLocaleString()} deployments are shown.{' '}
          <Link to="/deployments" search={{ env: env.id }}>
            Show all
          </Link>
        </p>
      )}
      <div className="panel grid-frame" role="region" aria-label="Kinds by cluster" tabIndex={0}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              {grid.clusters.map((id) => {
                const cluster = all.get(id);
                return (
                  <th key={id} scope="col">
                    <Link to="/clusters/$id" params={{ id }}>
                      {nameIn(all, id)}
                    </Link>
                    {cluster && !cluster.is_ok && (
                      <State
                        tone={cluster.ignore ? 'off' : 'bad'}
                        word={cluster.ignore ? 'Ignored' : 'Not reachable'}
                      />
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {grid.kinds.map(({ id, cells }) => (
              <tr key={id}>
                <th scope="row">{nameIn(kinds, id)}</th>
                {cells.map((cell, index) => (
                  <td key={grid.clusters[index]}>
                    {cell.slice(0, mostInCell).map((deployment) => (
                      <InCell
                        key={deployment.id}
                        deployment={deployment}
                        kind={nameIn(kinds, id)}
                        version={versions.get(deployment.helm_chart_id)}
                      />
                    ))}
                    {cell.length > mostInCell && (
                      <Link
                        className="meta"
                        to="/deployments"
                        search={{ env: env.id, kind: id, cluster: grid.clusters[index] }}
                      >
                        {cell.length - mostInCell} more
                      </Link>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface InCellProps {
  deployment: DeploymentRow;
  kind: string;
  version: Row<'chartVersions'> | undefined;
}

function InCell({ deployment, kind, version }: InCellProps) {
  const { id, name, reason } = deployment;
  return (
    <div className="in-cell" title={reason ?? ''}>
      <State {...deploymentState(deployment)} />
      <span className="in-cell-name">
        <Link to="/deployments/$id/{-$tab}" params={{ id, tab: undefined }}>
          {name || kind}
        </Link>
        <span className="mono">{version?.parsed_version ?? version?.image_tag}</span>
        {version !== undefined && version.newer > 0 && <span className="newer">↑ {version.newer} newer</span>}
      </span>
    </div>
  );
}

function Unwell({ env, rows }: { env: OfEnv['env']; rows: DeploymentRow[] }) {
  const kinds = useKinds();
  const unwell = rows.filter(needsAttention);
  if (unwell.length === 0) return null;
  return (
    <section className="notice banner bad" aria-label="What needs attention">
      <Glyph tone="bad" />
      <div>
        <p>
          <strong>
            {unwell.length.toLocaleString()} of {rows.length.toLocaleString()}{' '}
            {rows.length === 1 ? 'deployment needs' : 'deployments need'} attention
          </strong>
        </p>
        <ul>
          {unwell.slice(0, mostNamed).map(({ id, kind_id, name, reason, health }) => (
            <li key={id}>
              <Link to="/deployments/$id/{-$tab}" params={{ id, tab: undefined }}>
                {nameIn(kinds, kind_id)} / {name || '—'}
              </Link>{' '}
              <span className="muted">{reason ?? health?.reason}</span>
            </li>
          ))}
        </ul>
      </div>
      {unwell.length > mostNamed && (
        <div className="actions">
          <Link className="button" to="/deployments" search={{ env: env.id, attention: 'true' }}>
            Show all {unwell.length.toLocaleString()}
          </Link>
        </div>
      )}
    </section>
  );
}
