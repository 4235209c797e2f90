import { itemReaders } from './collections/item-readers.ts';
import { deploymentHandlers } from './deployments/deployment-handlers.ts';
import { compareReleases } from './plans/compare-release.ts';
import { planHandlers } from './plans/plan-handlers.ts';
import { resourceHandlers } from './resources/resource-handlers.ts';
import { typeHandlers } from './resources/type-handlers.ts';
import { secretHandlers } from './secrets/secret-handlers.ts';
import { taskHandlers } from './tasks/task-handlers.ts';
import type { Parts } from './parts.ts';

/** The resources of the public API. */
export function serveUsers({ config, bus, store, inTransaction, changes, hints, metrics, redactTexts }: Parts): void {
  const { limits, secretKeys } = config;
  const dryRuns = { store, inTransaction, bus, secretKeys, metrics };

  bus.serve(deploymentHandlers({ ...changes, limits, redactTexts, bus, compareRelease: compareReleases(dryRuns) }));
  // A plan locks nothing, because it writes nothing that could contradict what it read.
  bus.serve(planHandlers({ ...changes, ...dryRuns, heldReaders: itemReaders }));
  bus.serve(taskHandlers({ ...changes, secretKeys, limits, hintCancel: hints.cancel }));
  bus.serve(secretHandlers({ ...changes, secretKeys }));
  bus.serve(resourceHandlers({ ...changes, secretKeys }));
  bus.serve(typeHandlers({ store }));
}
