import type { berth } from '../api/berth.ts';

type Listing = typeof berth.auditEvents.list;
export type ListedEvents = NonNullable<Parameters<Listing>[0]>;
type Answered = Extract<Awaited<ReturnType<Listing>>, { ok: true }>['value'];
export type AuditEvent = Answered['items'][number];
