import { implement } from '@berth/shared/bus/implement';
import { chartArchives } from '@berth/shared/contracts/chart-archives';
import { type EnsureArchiveDeps, ensureArchive } from './ensure-archive.ts';

export const chartArchiveHandlers = (deps: EnsureArchiveDeps) => {
  const ensure = ensureArchive(deps);

  return implement(chartArchives, {
    ensure: async ({ body: { helm_chart_id } }) => ({ digest: await ensure(helm_chart_id) }),
  });
};
