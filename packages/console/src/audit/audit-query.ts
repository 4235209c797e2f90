import type { ListedEvents } from './audit-event.ts';

type Query = NonNullable<ListedEvents['query']>;

export interface AuditFilters {
  query: Omit<Query, 'before' | 'per_page'>;
  /** The filters that are invalid, and left out. */
  wrong: string[];
}

/** The names of the filters in the address. */
export const filterNames = ['actor', 'token', 'resource', 'object', 'operation', 'result', 'from', 'to'] as const;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The query for an address. */
export function auditQuery(address: Readonly<Record<string, string | undefined>>): AuditFilters {
  const wrong: string[] = [];
  const id = (name: string): string | undefined => {
    const value = address[name]?.trim();
    if (value === undefined || value === '' || uuid.test(value)) return value || undefined;
    wrong.push(`${name} must be a whole id`);
    return undefined;
  };
  const time = (name: string): string | undefined => {
    const value = address[name];
    if (value === undefined || value === '') return undefined;
    const ms = Date.parse(value);
    if (!Number.isNaN(ms)) return new Date(ms).toISOString();
    wrong.push(`${name} must be a date and a time`);
    return undefined;
  };
  const { resource, operation, result } = address;
  const asked = {
    actor_id: id('actor'),
    token_id: id('token'),
    object_id: id('object'),
    env_id: id('env'),
    resource: resource || undefined,
    operation: operation?.trim() || undefined,
    result: result === 'done' || result === 'denied' ? result : undefined,
    from: time('from'),
    to: time('to'),
  };
  const query = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return { query, wrong };
}

/** A time in the format of the browser's input, in the zone of the viewer. */
export function localTime(iso: string | undefined): string {
  const ms = Date.parse(iso ?? '');
  if (Number.isNaN(ms)) return '';
  const time = new Date(ms);
  return new Date(ms - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The same time for the address, with its zone. */
export const addressTime = (local: string): string | null => {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
};
