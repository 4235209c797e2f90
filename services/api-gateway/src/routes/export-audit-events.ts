import type { AuditPage, AuditQuery } from '@berth/contracts/resources/audit/audit-events';
import { AppError, isOutage } from '@berth/contracts/errors';
import { pause } from '@berth/service/waiting/pause';

export interface ExportLimits {
  ms: number;
}

export interface ExportDeps {
  read: (query: Pick<AuditQuery, 'per_page' | 'before'>) => Promise<AuditPage>;
  /** Throws if the caller may no longer read anything. Its permission is checked with each page. */
  reauthenticate: () => Promise<void>;
  limits: ExportLimits;
  signal: AbortSignal;
}

export const eventsPerPage = 100;

const reauthenticateMs = 900;
const pauseMs = 500;
/** The longest outage that an export survives. */
const outageMs = 20_000;

/** Yields all events from the first page on, a page at a time; throws if it must stop early. */
export async function* exportAuditEvents(
  first: AuditPage,
  { read, reauthenticate, limits, signal }: ExportDeps,
): AsyncGenerator<string> {
  const startedAt = performance.now();
  let authenticatedAt = startedAt;
  let outageSince: number | undefined;

  for (let page = first; ; ) {
    yield page.items.map((event) => `${JSON.stringify(event)}\n`).join('');
    if (page.next === null) return;
    if (performance.now() - startedAt > limits.ms) throw new AppError('timeout', 'The export took too long');

    const before = page.next;
    try {
      if (performance.now() - authenticatedAt > reauthenticateMs) {
        await reauthenticate();
        authenticatedAt = performance.now();
      }
      page = await read({ per_page: eventsPerPage, before });
      outageSince = undefined;
    } catch (error) {
      outageSince ??= performance.now();
      if (!isOutage(error) || performance.now() - outageSince > outageMs) throw error;
      await pause(pauseMs, signal);
      signal.throwIfAborted();
      // After a page without events the loop reads again.
      page = { items: [], next: before };
    }
  }
}
