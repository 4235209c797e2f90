import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components/Button';
import { Age, exactTime } from '../ui/age.tsx';
import { Copy } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { State } from '../ui/state.tsx';
import type { AuditEvent } from './audit-event.ts';
import { changedFields } from './changed-fields.ts';

/** The screens of objects. */
const places: Record<
  string,
  '/deployments/$id/{-$tab}' | '/envs/$id/{-$tab}' | '/tasks/$id' | '/clusters/$id' | '/charts/$id'
> = {
  deployments: '/deployments/$id/{-$tab}',
  envs: '/envs/$id/{-$tab}',
  deployment_tasks: '/tasks/$id',
  k8s_clusters: '/clusters/$id',
  helm_charts: '/charts/$id',
};

interface EventLineProps {
  event: AuditEvent;
  actor: string;
  object: string;
  env: string;
  isOpen: boolean;
  onToggle: () => void;
}

/** Who did what to which object, and below it what differs. */
export function EventLine({ event, actor, object, env, isOpen, onToggle }: EventLineProps) {
  const { id, at, operation, result, times } = event;
  const to = places[event.object.resource];
  const what = `${operation} ${event.object.resource}`;
  return (
    <li className="event" data-open={isOpen ? true : undefined}>
      <div className="event-line">
        <span className="muted">
          <Age time={at} />
        </span>
        {result === 'denied' ? (
          <State tone="bad" word={times > 1 ? `Denied ${times}×` : 'Denied'} />
        ) : (
          <span>Done</span>
        )}
        <span className="event-actor">{actor}</span>
        <span className="event-what">
          <strong>{operation}</strong> <span className="muted">{event.object.resource}</span>{' '}
          {event.object.id !== null &&
            (to === undefined ? (
              object
            ) : (
              <Link to={to} params={{ id: event.object.id }}>
                {object}
              </Link>
            ))}
        </span>
        <span className="event-env muted">{env}</span>
        <Button
          className="button bare small"
          aria-label={`${isOpen ? 'Hide' : 'Show'} what changed: ${what} by ${actor}`}
          aria-expanded={isOpen}
          aria-controls={`event-${id}`}
          onPress={onToggle}
        >
          <Icon name={isOpen ? 'up' : 'down'} />
        </Button>
      </div>
      {isOpen && <Detail event={event} />}
    </li>
  );
}

function Detail({ event }: { event: AuditEvent }) {
  const { id, at, actor, object, before, after, details, request_id, service } = event;
  const fields = changedFields(before, after);
  const known: [string, string | null][] = [
    ['Object', object.id],
    ['Actor', actor?.id ?? null],
    ['Token', actor === null ? null : (actor.token_id ?? 'a session')],
    ['Request', request_id],
    ['Event', id],
  ];
  return (
    <div className="event-detail" id={`event-${id}`}>
      {fields.length > 0 ? (
        <ul className="event-fields mono" aria-label="What differs">
          {fields.map(({ name, before: was, after: is }) => (
            <li key={name}>
              <span className="muted">{name}</span>
              {was !== null && <del>− {was}</del>}
              {is !== null && <ins>+ {is}</ins>}
            </li>
          ))}
        </ul>
      ) : (
        <p className="muted">No fields of a row were changed.</p>
      )}
      {Object.keys(details).length > 0 && <pre aria-label="Details">{JSON.stringify(details, null, 2)}</pre>}
      <dl className="facts">
        <dt>At</dt>
        <dd>
          {exactTime(at)} <span className="muted">in {service}</span>
        </dd>
        {known.map(
          ([what, value]) =>
            value !== null && (
              <div key={what} className="fact">
                <dt>{what}</dt>
                <dd>
                  <code>{value}</code> <Copy text={value} what={`the ${what.toLowerCase()} id`} />
                </dd>
              </div>
            ),
        )}
      </dl>
    </div>
  );
}
