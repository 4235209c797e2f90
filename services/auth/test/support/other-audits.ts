import { implement } from '@berth/bus/rpc/implement';
import { auditHandlers } from '@berth/db/audit/audit-handlers';
import type { Database } from '@berth/db/database';
import {
  type AuditEvent,
  auditOfClusterSync,
  auditOfRegistryScan,
  auditOfTasks,
} from '@berth/contracts/resources/audit/audit-events';
import type { AuthUnderTest } from './auth-under-test.ts';

export interface OtherAudits {
  /** The events of `tasks`; the other services have none. */
  kept: AuditEvent[];
  /** The envs in the last request to `tasks`. */
  visible: unknown;
}

/** Answers for the other services with audit events; `registryScan` is a database whose events are returned. */
export async function serveOtherAudits(
  { connect }: Pick<AuthUnderTest, 'connect'>,
  { registryScan: kept }: { registryScan?: Database } = {},
): Promise<OtherAudits> {
  const audits: OtherAudits = { kept: [], visible: undefined };
  const [tasks, clusterSync, registryScan] = await Promise.all([
    connect('tasks'),
    connect('cluster-sync'),
    connect('registry-scan'),
  ]);
  tasks.serve(
    implement(auditOfTasks, {
      read: async ({ body: { id: wanted, visible } }) => {
        audits.visible = visible;
        return { events: audits.kept.filter(({ id }) => wanted === undefined || wanted === id) };
      },
    }),
  );
  clusterSync.serve(implement(auditOfClusterSync, { read: async () => ({ events: [] }) }));
  registryScan.serve(
    kept
      ? auditHandlers(kept, 'registry-scan', auditOfRegistryScan)
      : implement(auditOfRegistryScan, { read: async () => ({ events: [] }) }),
  );
  await Promise.all([tasks, clusterSync, registryScan].map((bus) => bus.listening()));
  return audits;
}
