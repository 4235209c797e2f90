import { unwrap } from '@berth/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { useMay, useMe } from '../api/me.ts';
import { Page } from '../shell/page.tsx';
import { Age } from '../ui/age.tsx';
import { useAddress } from '../ui/page/address.ts';
import { OnlyFor } from '../ui/reading/only-for.tsx';
import { Empty, Problem } from '../ui/reading/problem.tsx';
import { Reading } from '../ui/reading/reading.tsx';
import { Filters } from './audit-filters.tsx';
import { auditQuery } from './audit-query.ts';
import { EventLine } from './event-line.tsx';
import { ExportEvents } from './export-events.tsx';
import { useNames } from './use-names.ts';
import './audit.css';

const perPage = 50;
/** For more, there is the export. */
const mostPages = 40;

/** Who did what, and what was refused. Site admins see everything, admins of envs what belongs to their envs. */
export function AuditLog() {
  const permission = useMay()('auditEvents', 'list');
  if (permission.allowed) return <Log />;
  return (
    <Page title="Audit log">
      <OnlyFor what="The audit log" permission={permission} />
    </Page>
  );
}

function Log() {
  const { identity } = useMe();
  const [address, change] = useAddress();
  const [error, setError] = useState<unknown>(null);
  const { query, wrong } = auditQuery(address);
  const events = useInfiniteQuery({
    queryKey: ['audit_events', query],
    queryFn: async ({ pageParam, signal }) => {
      const before = pageParam === null ? {} : { before: pageParam };
      return unwrap(await berth.auditEvents.list({ query: { ...query, ...before, per_page: perPage } }, { signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const shown = events.data?.pages.flatMap(({ items }) => items) ?? [];
  const names = useNames(shown);
  const people = [
    ...[...names.users.values()].map(({ id, display_name }) => ({ id, words: display_name, note: 'user' })),
    ...[...names.bots.values()].map(({ id, display_name }) => ({ id, words: display_name, note: 'bot' })),
  ].sort((a, b) => a.words.localeCompare(b.words));
  const isFull = (events.data?.pages.length ?? 0) >= mostPages;
  const open = address['event'];

  return (
    <Page
      title="Audit log"
      state={!identity.is_admin && <span className="muted">of the envs that you are an admin of</span>}
      actions={
        <>
          {events.dataUpdatedAt > 0 && (
            <span className="meta">
              as of <Age time={new Date(events.dataUpdatedAt).toISOString()} />
            </span>
          )}
          <Button className="button" isDisabled={events.isFetching} onPress={() => void events.refetch()}>
            Read again
          </Button>
          <ExportEvents query={query} onError={setError} />
        </>
      }
    >
      <Filters people={people} wrong={wrong} />
      {error !== null && <Problem error={error} />}
      <Reading of={events} rows={10}>
        {() =>
          shown.length === 0 ? (
            <div className="panel">
              <Empty title="No event matches these filters">
                <p>A setting of the platform says how long changes, plans and refused attempts are kept.</p>
              </Empty>
            </div>
          ) : (
            <ol className="panel events" aria-label="Events, newest first">
              {shown.map((event) => (
                <EventLine
                  key={event.id}
                  event={event}
                  actor={names.actor(event)}
                  object={names.object(event)}
                  env={names.env(event.env_id)}
                  isOpen={open === event.id}
                  onToggle={() => change({ event: open === event.id ? null : event.id })}
                />
              ))}
            </ol>
          )
        }
      </Reading>
      {events.hasNextPage &&
        (isFull ? (
          <p className="meta">
            The newest {shown.length.toLocaleString()} are shown. For older ones choose a time, or export them all.
          </p>
        ) : (
          <Button className="button" isDisabled={events.isFetchingNextPage} onPress={() => void events.fetchNextPage()}>
            Show older ones
          </Button>
        ))}
    </Page>
  );
}
