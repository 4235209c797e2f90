import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { berth } from '../api/berth.ts';
import { useVersionsOf } from '../api/by-ids.ts';
import { nameIn, useKinds, useUsers } from '../api/names.ts';
import { oneOf, readOf, type Row } from '../api/reads.ts';
import { taskState } from '../deployments/facts/task-state.ts';
import { PageOf } from '../shell/page-of.tsx';
import { Page } from '../shell/page.tsx';
import { remember } from '../shell/recent.ts';
import { exactTime, useNow } from '../ui/age.tsx';
import { Empty } from '../ui/reading/problem.tsx';
import { Glyph, State } from '../ui/state.tsx';
import { readable } from './facts/readable.ts';
import { TaskActions } from './actions/task-actions.tsx';
import { TaskFacts } from './task-facts.tsx';
import { TaskInputs } from './task-inputs.tsx';
import { TaskLog } from './task-log.tsx';
import { chartOf, taskWords } from './facts/task-words.ts';
import { Timeline } from './timeline.tsx';
import { timelineOf } from './facts/timeline-of.ts';
import './tasks.css';

/** One task: why it waits or failed, its log, what it deployed, and what can be done about it. */
export function TaskPage() {
  const { id } = useParams({ from: '/inside/tasks/$id' });
  const task = useQuery(oneOf('deploymentTasks', id));
  return (
    <PageOf of={task} title="Task" crumbs={[{ words: 'Tasks', to: '/tasks' }]}>
      {({ row }) => <Shown key={id} task={row} />}
    </PageOf>
  );
}

function Shown({ task }: { task: Row<'deploymentTasks'> }) {
  const now = useNow();
  const [kinds, users] = [useKinds(), useUsers()];
  // A task stays when its deployment is deleted.
  const deployment = useQuery(oneOf('deployments', task.deployment_id));
  const row = deployment.data?.row;
  const isOpen = task.finished_at === null;
  const why = useQuery({
    ...readOf('deployment_tasks', ['why', task.id], (options) => berth.deploymentTasks.why({ id: task.id }, options)),
    enabled: isOpen,
  });
  const chartBefore = 'Upgrade' in task.operation ? task.operation.Upgrade.prev_helm_chart_id : null;
  const versions = useVersionsOf([chartOf(task), chartBefore, row?.helm_chart_id]);
  const versionOf = (id: string) => versions.get(id)?.image_tag;
  const words = taskWords(task, versionOf);
  const name =
    row === undefined
      ? `deployment ${task.deployment_id.slice(0, 8)}`
      : `${nameIn(kinds, row.kind_id)} / ${row.name || '—'}`;
  const isNamed = row !== undefined && kinds.size > 0;
  useEffect(() => {
    if (isNamed) remember({ id: task.id, to: '/tasks/$id', name: `${words}, ${name}` });
  }, [task.id, words, name, isNamed]);

  const names = { user: (id: string) => nameIn(users, id), deployment: (id: string) => `deployment ${id.slice(0, 8)}` };
  return (
    <Page
      title={words}
      crumbs={[{ words: 'Tasks', to: '/tasks' }]}
      state={
        <>
          <State {...taskState(task, now)} />
          <span className="muted">
            of{' '}
            {row === undefined ? (
              `${name}${deployment.error ? ', which was deleted' : ''}`
            ) : (
              <Link to="/deployments/$id/{-$tab}" params={{ id: row.id, tab: undefined }}>
                {name}
              </Link>
            )}
          </span>
        </>
      }
      actions={
        <TaskActions
          task={task}
          words={`${words} of ${name}`}
          name={name}
          deployment={deployment.data}
          versionOf={versionOf}
        />
      }
    >
      <Outcome task={task} />
      <div className="columns">
        <div>
          <section className="section">
            <header>
              <h2>Log</h2>
            </header>
            {isOpen && task.first_attempted_at === null ? (
              <div className="panel">
                <Empty title="The log begins when the task starts" />
              </div>
            ) : (
              <TaskLog id={task.id} />
            )}
          </section>
          <TaskInputs task={task} />
        </div>
        <div>
          <section className="section">
            <header>
              <h2>Timeline</h2>
            </header>
            <Timeline steps={timelineOf(task, why.data?.facts ?? [], names)} />
          </section>
          <section className="section">
            <header>
              <h2>Facts</h2>
            </header>
            <TaskFacts
              task={task}
              deployment={row}
              version={versionOf(chartOf(task) ?? '')}
              versionBefore={versionOf(chartBefore ?? '')}
            />
          </section>
        </div>
      </div>
    </Page>
  );
}

/** Why the task waits, failed or was canceled. There is nothing to say about one that is done or works. */
function Outcome({ task: { status, reason, execute_at } }: { task: Row<'deploymentTasks'> }) {
  const now = useNow();
  if (status === 'Pending' && Date.parse(execute_at) > now) {
    return <Banner tone="busy" words={`It is to run at ${exactTime(execute_at)}.`} />;
  }
  if (reason === null || status === 'Done') return null;
  return (
    <Banner tone={status === 'Failed' ? 'bad' : status === 'Canceled' ? 'warn' : 'busy'} words={readable(reason)} />
  );
}

function Banner({ tone, words }: { tone: 'bad' | 'warn' | 'busy'; words: string }) {
  return (
    <section className={`notice banner ${tone}`} aria-label="Why">
      <Glyph tone={tone} />
      <p>
        <strong>{words}</strong>
      </p>
    </section>
  );
}
