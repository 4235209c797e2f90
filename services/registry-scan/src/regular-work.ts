import type { Loop } from '@berth/service/service';
import { reparseOnChange } from './charts/reparse-tags.ts';
import { deploymentProjection } from './deployments/deployment-projection.ts';
import type { Parts } from './parts.ts';
import { observeRegistries } from './polling/observe-registries.ts';
import { pollRegistries, whileLeaderIn } from './polling/poll-registries.ts';
import { followQueues } from './push/follow-queues.ts';

/** The loops of the service, by the names under which they are logged. */
export function regularWork(parts: Parts): Record<string, Loop> {
  const { db, bus, use, inTransaction, configured, created, pollRepository, scan, metrics, onRequest } = parts;
  const polling = { scan, pollRepository, metrics, whileLeader: whileLeaderIn(db) };
  const sources = configured.described.map(({ source }) => source);

  return {
    'follow deployments': deploymentProjection.follow({ db, bus }),
    'reparse tags': reparseOnChange({
      inTransaction,
      currentFormats: parts.currentFormats,
      formatsChanged: parts.formatsChanged,
    }),
    ...Object.fromEntries(pollRegistries(polling, configured.scanned.values())),
    'poll created registries': created.pollAll(polling),
    ...Object.fromEntries(followQueues({ scan, pollRepository, metrics, configured, onRequest, use })),
    'observe registries': observeRegistries({ pollRepository, metrics, sources }),
  };
}
