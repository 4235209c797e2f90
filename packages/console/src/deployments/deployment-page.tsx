import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { nameIn, useClusters, useEnvs, useKinds } from '../api/names.ts';
import { oneOf, pageOf } from '../api/reads.ts';
import { useMay } from '../api/me.ts';
import { PageOf } from '../shell/page-of.tsx';
import { Page } from '../shell/page.tsx';
import { remember } from '../shell/recent.ts';
import { Tabs } from '../ui/page/tabs.tsx';
import { LoadingRows } from '../ui/reading/problem.tsx';
import { State } from '../ui/state.tsx';
import { Attention } from './attention.tsx';
import { DeploymentActions } from './deployment-actions.tsx';
import { deploymentState } from './facts/deployment-state.ts';
import type { DeploymentRow } from './facts/deployment-row.ts';
import './deployments.css';

const tabs = {
  resources: { words: 'Resources', show: lazy(() => import('./tabs/resources.tsx')) },
  logs: { words: 'Logs', show: lazy(() => import('./tabs/logs.tsx')) },
  tasks: { words: 'Tasks', show: lazy(() => import('./tabs/tasks.tsx')) },
  values: { words: 'Values', show: lazy(() => import('./tabs/values.tsx')) },
  history: { words: 'History', show: lazy(() => import('./tabs/history.tsx')) },
  access: { words: 'Access', show: lazy(() => import('./tabs/access.tsx')) },
} as const;
const Overview = lazy(() => import('./tabs/overview.tsx'));

/** One deployment: what is wrong with it and what to do, then everything else about it. */
export function DeploymentPage() {
  const { id, tab } = useParams({ strict: false });
  const deployment = useQuery(oneOf('deployments', id ?? ''));
  return (
    <PageOf of={deployment} title="Deployment" crumbs={[{ words: 'Deployments', to: '/deployments' }]}>
      {(read) => <Shown {...read} tab={tab} />}
    </PageOf>
  );
}

interface ShownProps {
  row: DeploymentRow;
  etag: string | null;
  tab: string | undefined;
}

function Shown({ row, etag, tab }: ShownProps) {
  const may = useMay();
  const [kinds, envs, clusters] = [useKinds(), useEnvs(), useClusters()];
  const name = `${nameIn(kinds, row.kind_id)} / ${row.name || '—'}`;
  const resources = useQuery(pageOf('k8sResources', { deployment_id: row.id, page: 1, per_page: 100 }));
  const tasks = useQuery(pageOf('deploymentTasks', { deployment_id: row.id, page: 1, per_page: 10 }));
  useEffect(() => {
    if (kinds.size > 0) remember({ id: row.id, to: '/deployments/$id/{-$tab}', name });
  }, [row.id, name, kinds.size]);

  const Shown = Object.entries(tabs).find(([key]) => key === tab)?.[1].show ?? Overview;
  const counts: Record<string, number | undefined> = {
    resources: resources.data?.num_total,
    tasks: tasks.data?.num_total,
  };
  const change = may('deployments', 'update', row);
  return (
    <Page
      title={name}
      crumbs={[{ words: 'Deployments', to: '/deployments' }]}
      state={
        <>
          <State {...deploymentState(row)} />
          <span className="muted">
            on{' '}
            <Link to="/clusters/$id" params={{ id: row.cluster_id }}>
              {nameIn(clusters, row.cluster_id)}
            </Link>{' '}
            in{' '}
            <Link to="/envs/$id/{-$tab}" params={{ id: row.env_id, tab: undefined }}>
              {nameIn(envs, row.env_id)}
            </Link>
          </span>
        </>
      }
      actions={
        <>
          <DeploymentActions deployment={row} etag={etag} name={name} />
          {change.allowed ? (
            <Link className="button primary" to="/deployments/$id/change" params={{ id: row.id }}>
              Change …
            </Link>
          ) : (
            <span className="meta">Changes are for {change.needs}</span>
          )}
        </>
      }
    >
      <Attention deployment={row} tasks={tasks.data?.items ?? []} />
      <Tabs
        label="Parts of the deployment"
        tabs={[
          { words: 'Overview', to: '/deployments/$id/{-$tab}', params: { id: row.id, tab: undefined } },
          ...Object.entries(tabs).map(([key, { words }]) => ({
            words,
            to: '/deployments/$id/{-$tab}' as const,
            params: { id: row.id, tab: key },
            count: counts[key],
          })),
        ]}
      />
      <Suspense fallback={<LoadingRows />}>
        <Shown deployment={row} />
      </Suspense>
    </Page>
  );
}
