import { catalogueStateHandlers } from './charts/catalogue-state-handlers.ts';
import { chartArchiveHandlers } from './charts/chart-archive-handlers.ts';
import type { Parts } from './parts.ts';

/** The questions of tasks about the catalogue, and the packages that runners fetch. */
export function serveServices({ db, bus, configured, created, chartRepository }: Parts): void {
  bus.serve(catalogueStateHandlers({ db }));
  bus.serve(
    chartArchiveHandlers({
      bus,
      chartRepository,
      objects: bus.objects,
      clientOf: (domain, repository) => (configured.scanned.get(domain) ?? created.find(domain, repository))?.client,
    }),
  );
}
