import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMay } from '../api/me.ts';
import { nameIn, useEnvs, useKinds } from '../api/names.ts';
import { oneOf, pageOf, type Row } from '../api/reads.ts';
import { nameColumn, stateColumn, whyColumn } from '../deployments/facts/usual-columns.tsx';
import { PageOf } from '../shell/page-of.tsx';
import { Page } from '../shell/page.tsx';
import { Empty } from '../ui/reading/problem.tsx';
import { Reading } from '../ui/reading/reading.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { Glyph, State } from '../ui/state.tsx';
import { useAddress } from '../ui/page/address.ts';
import { ChartFacts } from './chart-facts.tsx';
import { chartState } from './chart-state.ts';
import { ChartForm } from './chart-form.tsx';
import './charts.css';

/** One chart: what is wrong with it, who runs it, what its form asks for, and the other versions of its branch. */
export function ChartPage() {
  const { id } = useParams({ from: '/inside/charts/$id' });
  const chart = useQuery(oneOf('helmCharts', id));
  return (
    <PageOf of={chart} title="Chart" crumbs={[{ words: 'Charts', to: '/charts' }]}>
      {({ row }) => <Shown chart={row} />}
    </PageOf>
  );
}

function Shown({ chart }: { chart: Row<'helmCharts'> }) {
  const may = useMay();
  const { env } = useAddress()[0];
  const [kinds, envs] = [useKinds(), useEnvs()];
  const registry = useQuery(oneOf('helmRegistries', chart.helm_registry_id));
  const kindId = registry.data?.row.kind_id ?? null;
  const isSound = chart.available && chart.error === null;

  return (
    <Page
      title={`${nameIn(kinds, kindId)} ${chart.image_tag}`}
      crumbs={[{ words: 'Charts', to: '/charts' }]}
      state={<State {...chartState({ available: chart.available, has_error: chart.error !== null })} />}
      actions={
        isSound &&
        may.somewhere('deployments', 'create') && (
          <Link
            className="button primary"
            to="/deployments/new"
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router knows no search of single screens
            search={((before: object) => ({ ...before, kind: kindId ?? undefined, chart: chart.id })) as never}
          >
            New deployment
          </Link>
        )
      }
    >
      {chart.error !== null && (
        <section className="notice banner bad" aria-label="What is wrong">
          <Glyph tone="bad" />
          <div>
            <p>
              <strong>It cannot be deployed.</strong>
            </p>
            <pre className="chart-error" tabIndex={0} aria-label="Error">
              {chart.error}
            </pre>
            <p className="next">
              Correct the chart and push it with another version. <code>berth chart lint</code> finds the same errors
              before a push.
            </p>
          </div>
        </section>
      )}
      {!chart.available && (
        <p className="notice warn">
          It is no longer in its registry, so it cannot be deployed again. What runs keeps running, but no rollback can
          return to it.
        </p>
      )}
      <div className="columns">
        <div>
          <section className="section">
            <header>
              <h2>Who runs it</h2>
            </header>
            <Rows
              label="Deployments of the chart"
              resource="deployments"
              query={{ helm_chart_id: chart.id, ...(env && { env_id: env }), sort: 'name' }}
              empty={<Empty title="No deployment that you may see refers to it" />}
              columns={[
                stateColumn,
                nameColumn(null),
                { title: 'Env', width: 'minmax(80px, 1fr)', cell: ({ env_id }) => nameIn(envs, env_id) },
                whyColumn,
              ]}
            />
          </section>
          <ChartForm chart={chart} />
        </div>
        <div>
          <ChartFacts chart={chart} registry={registry.data?.row} />
          <OtherVersions chart={chart} />
        </div>
      </div>
    </Page>
  );
}

/** The newest charts of the same branch, which show how far behind this one is. */
function OtherVersions({ chart }: { chart: Row<'helmCharts'> }) {
  const { helm_registry_id, parsed_branch } = chart;
  const versions = useQuery(
    pageOf('chartVersions', { helm_registry_id, ...(parsed_branch !== null && { parsed_branch }), per_page: 10 }),
  );
  return (
    <section className="section">
      <header>
        <h2>{parsed_branch === null ? 'Newest versions' : `Newest of ${parsed_branch}`}</h2>
      </header>
      <Reading of={versions} rows={3}>
        {({ items }) => (
          <ul className="panel chart-lines">
            {items.map((row) => (
              <li key={row.id}>
                <Link
                  to="/charts/$id"
                  params={{ id: row.id }}
                  className="mono"
                  aria-current={row.id === chart.id || undefined}
                >
                  {row.image_tag}
                </Link>
                <span className="end">{row.id === chart.id ? 'this one' : <State {...chartState(row)} />}</span>
              </li>
            ))}
          </ul>
        )}
      </Reading>
    </section>
  );
}
