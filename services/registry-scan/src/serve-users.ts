import { chartHandlers } from './charts/chart-handlers.ts';
import { chartVersionHandlers } from './charts/chart-version-handlers.ts';
import { createChartVersionRepository } from './charts/chart-version-repository.ts';
import { kindHandlers } from './kinds/kind-handlers.ts';
import type { Parts } from './parts.ts';
import { registryCheckHandlers } from './registries/registry-check-handlers.ts';
import { registryHandlers } from './registries/registry-handlers.ts';
import { tagFormatHandlers } from './tag-formats/tag-format-handlers.ts';

/** The resources of the public API. */
export function serveUsers(parts: Parts): void {
  const { db, bus, inTransaction, configured, created, rules, chartRepository, registryRepository } = parts;

  bus.serve(chartHandlers({ chartRepository }));
  bus.serve(chartVersionHandlers({ chartVersionRepository: createChartVersionRepository(db) }));
  bus.serve(registryHandlers({ db, inTransaction, ...rules }));
  bus.serve(
    registryCheckHandlers({
      registryRepository,
      connectTo: async ({ id, domain_name, repo_name }) =>
        configured.connect(domain_name, repo_name) ?? (await created.connect(id)),
    }),
  );
  bus.serve(kindHandlers({ db, inTransaction }));
  bus.serve(tagFormatHandlers({ db, inTransaction, onChanged: parts.formatsChanged.wake }));
}
