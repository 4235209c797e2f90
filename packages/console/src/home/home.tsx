import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMay, useMe } from '../api/me.ts';
import { useEnvs, useKinds } from '../api/names.ts';
import { pageOf } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Reading } from '../ui/reading/reading.tsx';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Recent } from './recent.tsx';
import { TaskLines } from './task-lines.tsx';
import './home.css';

const few = 8;
const dayMs = 86_400_000;

/** First what needs attention, then the viewer's own tasks, then where the viewer was. */
export function Home() {
  const { user } = useMe();
  const { env } = useAddress()[0];
  const may = useMay();
  const [envs, kinds] = [useEnvs(), useKinds()];
  const ofEnv = env === undefined ? {} : { env_id: env };
  // Rounded to the day, so that the key of the read does not change with each visit.
  const [since] = useState(() => new Date(Math.floor(Date.now() / dayMs) * dayMs - 6 * dayMs).toISOString());
  const attention = useQuery(pageOf('deployments', { ...ofEnv, needs_attention: true, page: 1, per_page: few }));
  const mine = useQuery(
    pageOf('deploymentTasks', {
      ...ofEnv,
      acting_user_id: user.id,
      active_only: true,
      sort: 'execute_at',
      per_page: few,
    }),
  );
  const failed = useQuery(
    pageOf('deploymentTasks', {
      ...ofEnv,
      status: 'Failed',
      created_from: since,
      sort: '-finished_at',
      per_page: few,
    }),
  );
  const deployments = useQuery(pageOf('deployments', { ...ofEnv, page: 1, per_page: 1 }));

  if (deployments.data?.num_total === 0 && mine.data?.num_total === 0) {
    return (
      <Page title="Home">
        <FirstSteps
          hasEnv={envs.size > 0}
          hasKind={kinds.size > 0}
          mayMakeEnv={may('envs', 'create').allowed}
          mayDeploy={may.somewhere('deployments', 'create')}
        />
        <Recent />
      </Page>
    );
  }
  return (
    <Page title="Home">
      <div className="columns">
        <div>
          <Section title="Needs attention" of={attention} all={{ to: '/deployments', search: { attention: 'true' } }}>
            <Attention rows={attention.data?.items ?? []} />
          </Section>
          <Section title="Failed in the last week" of={failed} all={{ to: '/tasks', search: { show: 'failed' } }}>
            <TaskLines tasks={failed.data?.items ?? []} none="No task has failed." />
          </Section>
        </div>
        <div>
          <Section title="Your tasks" of={mine} all={{ to: '/tasks', search: { mine: 'true' } }}>
            <TaskLines tasks={mine.data?.items ?? []} none="None of your tasks runs, waits or is scheduled." />
          </Section>
          <Recent />
        </div>
      </div>
    </Page>
  );
}

interface SectionProps {
  title: string;
  of: { data: { num_total: number; items: unknown[] } | undefined; error: Error | null };
  /** The list that has all of them. */
  all: { to: '/deployments' | '/tasks'; search: Record<string, string> };
  children: ReactNode;
}

function Section({ title, of, all, children }: SectionProps) {
  const { data } = of;
  return (
    <section className="section">
      <header>
        <h2>{title}</h2>
        {data && data.num_total > data.items.length && (
          <Link
            to={all.to}
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router knows no search of single screens
            search={((before: object) => ({ ...before, ...all.search })) as never}
          >
            All {data.num_total.toLocaleString()}
          </Link>
        )}
      </header>
      <Reading of={of} rows={2}>
        {() => children}
      </Reading>
    </section>
  );
}
