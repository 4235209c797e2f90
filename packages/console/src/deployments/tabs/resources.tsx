import { useQuery } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { allOf, readOf } from '../../api/reads.ts';
import { Age } from '../../ui/age.tsx';
import { Empty } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { State } from '../../ui/state.tsx';
import type { OfDeployment } from '../facts/deployment-row.ts';
import { ResourceLines } from '../objects/resource-lines.tsx';

/** The tree of objects, kept up to date, and the events that Kubernetes reports about them. */
export default function Resources({ deployment }: OfDeployment) {
  const resources = useQuery(allOf('k8sResources', { deployment_id: deployment.id }));
  const events = useQuery({
    ...readOf('k8s_resources', ['events', deployment.id], (options) =>
      berth.deployments.k8s_events({ id: deployment.id, query: { per_page: 100 } }, options),
    ),
    // Nothing announces Kubernetes events, so they are polled.
    refetchInterval: 15_000,
  });
  return (
    <>
      <section className="section">
        <Reading of={resources}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty title="Nothing is installed">
                {deployment.enabled
                  ? 'What runs appears here as it is created.'
                  : 'Enable the deployment to install it.'}
              </Empty>
            ) : (
              <ResourceLines resources={rows} deployment={deployment} />
            )
          }
        </Reading>
      </section>
      <section className="section">
        <header>
          <h2>Kubernetes events</h2>
          {events.data?.incomplete && <span className="meta">The newest may be missing</span>}
        </header>
        <Reading of={events} rows={3}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="Kubernetes has reported nothing within the last hour" />
            ) : (
              <ul className="lines">
                {items.map(({ uid, type, reason, message, count, last_seen_at, object }) => (
                  <li key={uid}>
                    <span />
                    <span>
                      <State tone={type === 'Warning' ? 'warn' : 'off'} word={reason} />{' '}
                      <span className="muted">{object.kind}</span> {object.name}
                    </span>
                    <span className="muted">
                      {count > 1 && `${count} times · `}
                      <Age time={last_seen_at} />
                    </span>
                    <span className="meta">{message}</span>
                  </li>
                ))}
              </ul>
            )
          }
        </Reading>
      </section>
    </>
  );
}
