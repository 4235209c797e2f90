import type { Identity } from '@berth/contracts/access/identity';
import type { RowEvent } from '@berth/bus/events/event-reader';
import type { Resource } from '@berth/contracts/definition/contract';

/** Whether an event is of the wanted tables and env, and the identity may read its row (Specification, "Visibility"). */
export function eventsFor(
  resources: readonly Resource[],
  tables: ReadonlySet<string> | undefined,
  envId: string | undefined,
) {
  const readersOf = new Map(resources.map(({ name, state }) => [name, state?.readers]));

  return (identity: Identity, { event: { resource, env_id, row } }: Pick<RowEvent, 'event'>): boolean => {
    if (tables !== undefined && !tables.has(resource)) return false;
    if (envId !== undefined && env_id !== envId) return false;
    return readersOf.get(resource)?.(identity, { env_id, row }) ?? false;
  };
}
