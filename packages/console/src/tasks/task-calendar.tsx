import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components/Button';
import { type ListQuery, pageOf } from '../api/reads.ts';
import { exactTime, useNow } from '../ui/age.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Reading } from '../ui/reading/reading.tsx';
import { dayOf, daysOf, monthAfter, readMonth } from './facts/month-of.ts';
import { useTaskNames } from './facts/use-task-names.ts';

const most = 100;
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const fullDay = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' });
const hour = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dateOf = (day: string): Date => new Date(`${day}T00:00`);

/** The tasks that wait or are scheduled, each on the day on which it is due. */
export function TaskCalendar({ query: given }: { query: ListQuery<'deploymentTasks'> }) {
  const [address, change] = useAddress();
  const today = new Date(useNow());
  const month = readMonth(address['month'], today);
  const { env_id, cluster_id, acting_user_id } = given;
  const query = { env_id, cluster_id, acting_user_id, status: 'Pending', sort: 'execute_at', per_page: most } as const;
  const tasks = useQuery(pageOf('deploymentTasks', query));
  const names = useTaskNames(tasks.data?.items ?? []);
  const days = daysOf(month);

  return (
    <>
      <div className="calendar-head">
        <h2 aria-live="polite">{monthName.format(dateOf(`${month}-01`))}</h2>
        <Button className="button small" onPress={() => change({ month: monthAfter(month, -1) })}>
          Month before
        </Button>
        <Button className="button small" onPress={() => change({ month: null })}>
          Today
        </Button>
        <Button className="button small" onPress={() => change({ month: monthAfter(month, 1) })}>
          Next month
        </Button>
      </div>
      <Reading of={tasks}>
        {({ items, num_total }) => (
          <>
            {num_total > items.length && (
              <p className="notice">
                The first {items.length} of {num_total.toLocaleString()} tasks are shown. Choose an env or a cluster to
                see the others.
              </p>
            )}
            <ol className="calendar" aria-label={monthName.format(dateOf(`${month}-01`))}>
              {days.map(({ date, isOfMonth }, index) => {
                const due = items.filter(({ execute_at }) => dayOf(new Date(execute_at)) === date);
                return (
                  <li
                    key={date}
                    className="day"
                    data-other={!isOfMonth || undefined}
                    data-today={date === dayOf(today) || undefined}
                    data-empty={due.length === 0 || undefined}
                  >
                    <time dateTime={date} className="day-number">
                      {index < 7 && <span className="muted">{weekday.format(dateOf(date))} </span>}
                      <span className="wide-only">{Number(date.slice(8))}</span>
                      <span className="narrow-only">{fullDay.format(dateOf(date))}</span>
                    </time>
                    {due.map((task) => (
                      <Link
                        key={task.id}
                        to="/tasks/$id"
                        params={{ id: task.id }}
                        className="due"
                        title={`${names.words(task)} of ${names.of(task)}, ${exactTime(task.execute_at)}`}
                      >
                        <time dateTime={task.execute_at}>{hour.format(new Date(task.execute_at))}</time>{' '}
                        {names.of(task)}
                        <span className="muted">: {names.words(task)}</span>
                      </Link>
                    ))}
                  </li>
                );
              })}
            </ol>
            {!days.some(({ date }) => items.some(({ execute_at }) => dayOf(new Date(execute_at)) === date)) && (
              <p className="muted calendar-none">Nothing is scheduled in this month.</p>
            )}
          </>
        )}
      </Reading>
    </>
  );
}
