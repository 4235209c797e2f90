import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { useMay, useMe } from '../api/me.ts';
import { choicesIn, nameIn, useClusters } from '../api/names.ts';
import { pageOf, type Row } from '../api/reads.ts';
import { taskState } from '../deployments/facts/task-state.ts';
import { Page } from '../shell/page.tsx';
import { Age, useNow, When } from '../ui/age.tsx';
import { Icon } from '../ui/icons.tsx';
import { Choose } from '../ui/inputs/choose.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Empty } from '../ui/reading/problem.tsx';
import type { Column } from '../ui/reading/line.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { State } from '../ui/state.tsx';
import { CancelDialog } from './actions/cancel-dialog.tsx';
import { TaskCalendar } from './task-calendar.tsx';
import { readable } from './facts/readable.ts';
import { taskQueryOf, taskViews, viewOf } from './facts/task-query.ts';
import { useTaskNames } from './facts/use-task-names.ts';
import './tasks.css';

type Task = Row<'deploymentTasks'>;

/** What runs, what waits and why, what is scheduled, and what has ended. */
export function TaskList() {
  const [address, change] = useAddress();
  const { user } = useMe();
  const clusters = useClusters();
  const isCalendar = address['view'] === 'calendar';
  const query = taskQueryOf(address, user.id);

  return (
    <Page
      title="Tasks"
      actions={
        <>
          <ToggleButton
            className="button"
            isSelected={!isCalendar}
            onChange={() => change({ view: null, month: null })}
          >
            List
          </ToggleButton>
          <ToggleButton className="button" isSelected={isCalendar} onChange={() => change({ view: 'calendar' })}>
            Calendar
          </ToggleButton>
        </>
      }
    >
      <div className="filters" role="search" aria-label="Filters of tasks">
        {!isCalendar && (
          <Choose
            label="Show"
            inline
            choices={taskViews}
            value={viewOf(address['show']).id}
            onChange={(show) => change({ show: show === taskViews[0].id ? null : show })}
          />
        )}
        <Choose
          label="Cluster"
          inline
          none="Any cluster"
          choices={choicesIn(clusters)}
          value={address['cluster'] ?? null}
          onChange={(cluster) => change({ cluster })}
        />
        <ToggleButton
          className="button"
          isSelected={address['mine'] === 'true'}
          onChange={(on) => change({ mine: on ? 'true' : null })}
        >
          Only mine
        </ToggleButton>
        {!isCalendar && <Total query={query} />}
      </div>
      {isCalendar ? <TaskCalendar query={query} /> : <List query={query} />}
    </Page>
  );
}

function Total({ query }: { query: ReturnType<typeof taskQueryOf> }) {
  const { data, dataUpdatedAt } = useQuery(pageOf('deploymentTasks', { ...query, page: 1, per_page: 100 }));
  if (!data) return null;
  return (
    <span className="meta">
      {data.num_total.toLocaleString()} {data.num_total === 1 ? 'task' : 'tasks'} · as of{' '}
      <Age time={new Date(dataUpdatedAt).toISOString()} />
    </span>
  );
}

function List({ query }: { query: ReturnType<typeof taskQueryOf> }) {
  const [address, change] = useAddress();
  const may = useMay();
  const now = useNow();
  const clusters = useClusters();
  const [read, setRead] = useState<Task[]>([]);
  const names = useTaskNames(useDeferredValue(read));
  const [asked, setAsked] = useState<Task | null>(null);
  const view = viewOf(address['show']);
  const scopeOf = (task: Task) => ({ env_id: null, ...names.deployment(task), ...task, requester: null });

  const columns: Column<Task>[] = [
    { title: 'State', width: '112px', narrow: 'first', cell: (task) => <State {...taskState(task, now)} /> },
    {
      title: 'Task',
      width: 'minmax(150px, 1.3fr)',
      className: 'cell-name',
      narrow: 'first',
      cell: (task) => (
        <Link to="/tasks/$id" params={{ id: task.id }} data-row-link>
          {names.words(task)}
        </Link>
      ),
    },
    {
      title: 'Deployment',
      width: 'minmax(150px, 1.3fr)',
      cell: (task) => (
        <Link to="/deployments/$id/{-$tab}" params={{ id: task.deployment_id, tab: undefined }}>
          {names.of(task)}
        </Link>
      ),
    },
    {
      title: 'Cluster',
      width: 'minmax(72px, .6fr)',
      wideOnly: true,
      cell: ({ cluster_id }) => nameIn(clusters, cluster_id),
    },
    {
      title: 'Why',
      width: 'minmax(150px, 2.2fr)',
      narrow: 'second',
      className: 'muted',
      cell: ({ reason }) => reason !== null && <span title={readable(reason)}>{readable(reason)}</span>,
    },
    { title: 'By', width: 'minmax(96px, .8fr)', wideOnly: true, cell: (task) => names.by(task) },
    {
      title: 'When',
      width: '84px',
      className: 'muted',
      cell: ({ finished_at, started_at, execute_at }) => <When time={finished_at ?? started_at ?? execute_at} />,
    },
    {
      title: 'Cancel',
      hideTitle: true,
      width: '64px',
      narrow: 'first',
      className: 'row-action',
      cell: (task) =>
        task.finished_at === null &&
        may('deploymentTasks', 'cancel', scopeOf(task)).allowed && (
          <Button
            className="button bare small"
            aria-label={`Cancel ${names.words(task)} of ${names.of(task)}`}
            onPress={() => setAsked(task)}
          >
            <Icon name="close" />
          </Button>
        ),
    },
  ];

  return (
    <>
      <Rows
        label="Tasks"
        resource="deploymentTasks"
        query={query}
        columns={columns}
        onRead={setRead}
        empty={
          <Empty title={view.none}>
            {view.id !== 'all' && (
              <Button className="button" onPress={() => change({ show: 'all', mine: null, cluster: null })}>
                Show all tasks
              </Button>
            )}
          </Empty>
        }
      />
      {asked && (
        <CancelDialog
          task={asked}
          words={`${names.words(asked)} of ${names.of(asked)}`}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
