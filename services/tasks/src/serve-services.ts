import { deploymentStateHandlers } from './deployments/deployment-state-handlers.ts';
import { deploymentUsageHandlers } from './deployments/deployment-usage-handlers.ts';
import { healthHandlers } from './health/health-handlers.ts';
import { deploymentPlaceHandlers } from './places/deployment-place-handlers.ts';
import { envImpactHandlers } from './projections/env-impact-handlers.ts';
import { shownTextHandlers } from './shown/shown-text-handlers.ts';
import { claimCheckHandlers } from './tasks/claims/claim-check-handlers.ts';
import type { Parts } from './parts.ts';

/** The questions and reports of auth, cluster-sync and registry-scan. */
export function serveServices({ db, bus, store, inTransaction, projections, redactTexts }: Parts): void {
  bus.serve(deploymentPlaceHandlers({ store, inTransaction }));
  bus.serve(deploymentStateHandlers({ store }));
  bus.serve(deploymentUsageHandlers({ store, inTransaction }));
  bus.serve(envImpactHandlers({ db, store, projections }));
  bus.serve(healthHandlers({ inTransaction }));
  bus.serve(shownTextHandlers({ redactTexts }));
  bus.serve(claimCheckHandlers({ store }));
}
