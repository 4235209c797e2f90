import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useMay } from '../api/me.ts';
import { oneOf, pageOf } from '../api/reads.ts';
import { PageOf } from '../shell/page-of.tsx';
import { Page } from '../shell/page.tsx';
import { remember } from '../shell/recent.ts';
import { Tabs } from '../ui/page/tabs.tsx';
import { LoadingRows } from '../ui/reading/problem.tsx';
import type { OfEnv } from './facts/env-row.ts';
import './envs.css';

const tabs = {
  members: { words: 'Members', show: lazy(() => import('./members/members.tsx')) },
  secrets: { words: 'Secrets', show: lazy(() => import('./secrets/secrets.tsx')) },
  resources: { words: 'Resources', show: lazy(() => import('./resources/resources.tsx')) },
  settings: { words: 'Settings', show: lazy(() => import('./settings/settings.tsx')) },
} as const;
const Overview = lazy(() => import('./overview/overview.tsx'));

/** One env: what runs in it and where, who may do what, and what its deployments have in common. */
export function EnvPage() {
  const { id = '', tab } = useParams({ strict: false });
  const env = useQuery(oneOf('envs', id));
  return (
    <PageOf of={env} title="Env" crumbs={[{ words: 'Envs', to: '/envs' }]}>
      {({ row, etag }) => <Shown env={row} etag={etag} tab={tab} />}
    </PageOf>
  );
}

function Shown({ env, etag, tab }: OfEnv & { tab: string | undefined }) {
  const may = useMay();
  const { id, name } = env;
  const total = { env_id: id, page: 1, per_page: 1 } as const;
  const members = useQuery(pageOf('envUserPermissions', total));
  const secrets = useQuery(pageOf('secrets', total));
  const resources = useQuery(pageOf('deploymentResources', total));
  const counts: Record<string, number | undefined> = {
    members: members.data?.num_total,
    secrets: secrets.data?.num_total,
    resources: resources.data?.num_total,
  };
  useEffect(() => remember({ id, to: '/envs/$id/{-$tab}', name }), [id, name]);

  const Part = Object.entries(tabs).find(([key]) => key === tab)?.[1].show ?? Overview;
  return (
    <Page
      title={name}
      crumbs={[{ words: 'Envs', to: '/envs' }]}
      state={!may('envs', 'update', { env_id: id }).allowed && <span className="muted">You are a member</span>}
    >
      <Tabs
        label="Parts of the env"
        tabs={[
          { words: 'Overview', to: '/envs/$id/{-$tab}', params: { id, tab: undefined } },
          ...Object.entries(tabs).map(([key, { words }]) => ({
            words,
            to: '/envs/$id/{-$tab}' as const,
            params: { id, tab: key },
            count: counts[key],
          })),
        ]}
      />
      <Suspense fallback={<LoadingRows />}>
        <Part key={id} env={env} etag={etag} />
      </Suspense>
    </Page>
  );
}
