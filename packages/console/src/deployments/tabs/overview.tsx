import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useMay } from '../../api/me.ts';
import { nameIn, useClusters, useUsers } from '../../api/names.ts';
import { allOf, oneOf, pageOf } from '../../api/reads.ts';
import { Age } from '../../ui/age.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { Glyph } from '../../ui/state.tsx';
import { useVersions } from '../facts/columns.ts';
import type { OfDeployment } from '../facts/deployment-row.ts';
import { operationWord } from '../../ui/reading/operation-word.ts';
import { taskState } from '../facts/task-state.ts';
import { ResourceLines } from '../objects/resource-lines.tsx';
import { InputsThatMatter } from './inputs-that-matter.tsx';
import { metricsLink } from './metrics-link.ts';
import { Relations } from './relations.tsx';
import { ReportedStatus } from './reported-status.tsx';

const Markdown = lazy(() => import('../markdown/markdown.tsx'));

/** What people look for first: what runs, with which inputs, and what happened last. */
export default function Overview({ deployment }: OfDeployment) {
  const resources = useQuery(allOf('k8sResources', { deployment_id: deployment.id }));
  const tasks = useQuery(pageOf('deploymentTasks', { deployment_id: deployment.id, page: 1, per_page: 10 }));
  const chart = useQuery(oneOf('helmCharts', deployment.helm_chart_id));
  const version = useVersions([deployment]).get(deployment.helm_chart_id);
  const cluster = useClusters().get(deployment.cluster_id);
  const users = useUsers();
  const may = useMay();
  const metrics = cluster && metricsLink(cluster, deployment);

  return (
    <div className="columns">
      <div>
        <section className="section">
          <header>
            <h2>What runs</h2>
            <span className="meta">
              as of <Age time={new Date(resources.dataUpdatedAt || Date.now()).toISOString()} />
            </span>
          </header>
          <Reading of={resources}>
            {(rows) =>
              rows.length === 0 ? (
                <p className="muted">Nothing is installed.</p>
              ) : (
                <ResourceLines resources={rows} deployment={deployment} brief />
              )
            }
          </Reading>
        </section>
        <InputsThatMatter deployment={deployment} chart={chart.data?.row} />
        {deployment.description_md !== null && (
          <section className="section">
            <header>
              <h2>Description</h2>
            </header>
            <Suspense>
              <Markdown text={deployment.description_md} />
            </Suspense>
          </section>
        )}
      </div>
      <div>
        <section className="section">
          <header>
            <h2>Facts</h2>
          </header>
          <dl className="facts">
            <dt>Version</dt>
            <dd>
              <Link to="/charts/$id" params={{ id: deployment.helm_chart_id }} className="mono">
                {version?.image_tag ?? 'read'}
              </Link>
              {version !== undefined && version.newer > 0 && (
                <Link className="newer" to="/deployments/$id/change" params={{ id: deployment.id }}>
                  ↑ {version.newer} newer
                </Link>
              )}
            </dd>
            {version?.parsed_branch && (
              <>
                <dt>Branch</dt>
                <dd className="mono">
                  {version.parsed_branch}
                  {version.parsed_commit && ` · ${version.parsed_commit.slice(0, 7)}`}
                </dd>
              </>
            )}
            <dt>Namespace</dt>
            <dd>
              <code>{deployment.namespace}</code> <Copy text={deployment.namespace} what="the namespace" />
            </dd>
            <dt>Created</dt>
            <dd>
              <Age time={deployment.created_at} />
            </dd>
            <dt>Id</dt>
            <dd>
              <code>{deployment.id.slice(0, 8)}</code> <Copy text={deployment.id} what="the id" />
            </dd>
            {metrics && (
              <>
                <dt>Metrics</dt>
                <dd>
                  <a href={metrics} target="_blank" rel="noreferrer">
                    Open ↗
                  </a>
                </dd>
              </>
            )}
          </dl>
        </section>
        <ReportedStatus reported={deployment.reported_status} />
        <Relations deployment={deployment} chart={chart.data?.row} />
        <section className="section">
          <header>
            <h2>Recent</h2>
            <span className="meta">
              {may.somewhere('auditEvents', 'list') && (
                <>
                  <Link to="/admin/audit" search={{ object: deployment.id }}>
                    Who changed it
                  </Link>
                  {' · '}
                </>
              )}
              <Link to="/deployments/$id/{-$tab}" params={{ id: deployment.id, tab: 'tasks' }}>
                All {tasks.data?.num_total.toLocaleString()}
              </Link>
            </span>
          </header>
          <Reading of={tasks} rows={3}>
            {({ items }) => (
              <ul className="lines">
                {items.slice(0, 5).map((task) => {
                  const state = taskState(task);
                  return (
                    <li key={task.id}>
                      <Glyph tone={state.tone} />
                      <Link to="/tasks/$id" params={{ id: task.id }}>
                        {operationWord(task)} {state.word.toLowerCase()}
                      </Link>
                      <span className="meta">
                        <Age time={task.finished_at ?? task.started_at ?? task.created_at} />
                        {task.acting_user_id !== null && ` · ${nameIn(users, task.acting_user_id)}`}
                      </span>
                      {task.reason !== null && (
                        <span className="meta clamped" title={task.reason}>
                          {task.reason}
                        </span>
                      )}
                    </li>
                  );
                })}
              </ul>
            )}
          </Reading>
        </section>
      </div>
    </div>
  );
}
