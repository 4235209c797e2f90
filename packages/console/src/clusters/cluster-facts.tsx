import type { Row } from '../api/reads.ts';
import { Age, Ago } from '../ui/age.tsx';
import { Copy } from '../ui/copy.tsx';

export function ClusterFacts({ cluster }: { cluster: Row<'k8sClusters'> }) {
  const { metrics_url } = cluster;
  // The API accepts no other address. It is checked again, since a link of another kind could run a script.
  const isLink = metrics_url !== null && /^https?:\/\//.test(metrics_url);
  return (
    <section className="section">
      <header>
        <h2>Facts</h2>
      </header>
      <dl className="facts">
        <dt>Last answer</dt>
        <dd>
          <Age time={cluster.last_seen_at} />
        </dd>
        <dt>Region</dt>
        <dd>{cluster.region_name}</dd>
        <dt>Found as</dt>
        <dd>
          <code>{cluster.provider_id}</code> <Copy text={cluster.provider_id} what="the id at its source" />
        </dd>
        <dt>Found</dt>
        <dd>
          <Ago time={cluster.created_at} />
        </dd>
        <dt>Ingress</dt>
        <dd>
          {cluster.ingress_domain === null ? (
            <span className="muted">none: its deployments have no host</span>
          ) : (
            <>
              <code>{cluster.ingress_domain}</code>
              {cluster.ingress_class !== null && ` by ${cluster.ingress_class}`}
            </>
          )}
        </dd>
        {isLink && (
          <>
            <dt>Metrics</dt>
            <dd>
              <a href={metrics_url} target="_blank" rel="noreferrer">
                {metrics_url}
              </a>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
