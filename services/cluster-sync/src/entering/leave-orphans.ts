import { troubleLog } from '@berth/db/outbox/trouble-log';
import type { KubeApi } from '@berth/kube/kube-api';
import type { Service } from '@berth/service/service';
import { pause } from '@berth/service/waiting/pause';
import { ownerOf } from '../namespaces/namespace-record.ts';
import type { NamespaceRepository } from '../namespaces/namespace-repository.ts';
import { readNamespace } from '../namespaces/read-namespace.ts';
import { leaveNamespace } from './leave-namespace.ts';

export interface LeaveOrphansDeps {
  readonly namespaceRepository: Pick<NamespaceRepository, 'orphansIn' | 'remove'>;
  readonly log: Service['log'];
}

interface Cluster {
  readonly id: string;
  readonly api: Pick<KubeApi, 'deleteJson' | 'getJson' | 'patchJson'>;
}

const everyMs = 10_000;

/** Leaves the adopted namespaces of a cluster whose deployment was deleted before it installed anything, until the signal aborts. */
export async function leaveOrphans(deps: LeaveOrphansDeps, cluster: Cluster, signal: AbortSignal): Promise<void> {
  const trouble = troubleLog(deps.log, 'leaving adopted namespaces fails');
  while (!signal.aborted) {
    try {
      await leaveOnce(deps, cluster, signal);
      trouble.fine();
    } catch (error) {
      if (signal.aborted) return;
      trouble.failed(error);
    }
    await pause(everyMs * (0.9 + Math.random() * 0.2), signal);
  }
}

async function leaveOnce({ namespaceRepository }: LeaveOrphansDeps, { id, api }: Cluster, signal: AbortSignal) {
  for (const { name, ...record } of await namespaceRepository.orphansIn(id)) {
    const found = await readNamespace(api, name, signal);
    const isOwn = found !== null && !found.isTerminating && ownerOf(record, found) === record.deployment_id;
    if (isOwn && record.adopted && !(await leaveNamespace(api, found, record.adopted, signal))) continue;
    await namespaceRepository.remove({ clusterId: id, name }, record);
  }
}
