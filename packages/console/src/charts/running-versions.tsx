import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVersionsOf } from '../api/by-ids.ts';
import { pageOf } from '../api/reads.ts';
import { Reading } from '../ui/reading/reading.tsx';
import { whoRuns } from './who-runs.ts';

/** Who runs which version of a kind, and how far behind. */
export function RunningVersions({ kind, env }: { kind: string; env: string | undefined }) {
  const deployments = useQuery(
    pageOf('deployments', { kind_id: kind, ...(env && { env_id: env }), page: 1, per_page: 100 }),
  );
  const versions = useVersionsOf(deployments.data?.items.map(({ helm_chart_id }) => helm_chart_id) ?? []);
  return (
    <section className="section">
      <header>
        <h2>What runs</h2>
      </header>
      <Reading of={deployments} rows={2}>
        {({ items, num_total }) =>
          items.length === 0 ? (
            <p className="muted">No deployment is of this kind.</p>
          ) : (
            <>
              <ul className="panel chart-lines">
                {whoRuns(items, versions).map(({ chart, tag, newer, count }) => (
                  <li key={chart}>
                    <Link to="/charts/$id" params={{ id: chart }} className="mono">
                      {tag}
                    </Link>
                    {newer > 0 && <span className="newer">↑ {newer} newer</span>}
                    <Link className="end" to="/deployments" search={{ chart, ...(env && { env }) }}>
                      {count} {count === 1 ? 'deployment' : 'deployments'}
                    </Link>
                  </li>
                ))}
              </ul>
              {num_total > items.length && (
                <p className="meta">
                  Of the newest {items.length} of {num_total.toLocaleString()} deployments.
                </p>
              )}
            </>
          )
        }
      </Reading>
    </section>
  );
}
