import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { AppError } from '@berth/contracts/errors';
import { type EnsureArchiveDeps, ensureArchive } from './ensure-archive.ts';
import { readArchivePart } from './read-archive-part.ts';

export interface ChartArchiveHandlersDeps extends EnsureArchiveDeps {
  bus: Pick<Bus, 'call'>;
}

export const chartArchiveHandlers = ({ bus, ...deps }: ChartArchiveHandlersDeps) => {
  const ensure = ensureArchive(deps);
  const read = readArchivePart({ ensure, objects: deps.objects });

  return implement(chartArchives, {
    ensure: async ({ body: { helm_chart_id } }) => ({ digest: await ensure(helm_chart_id) }),

    read: async ({ body: { part, ...claim } }, { requestId }) => {
      const { helm_chart_id } = await bus.call(taskClaims.operations.get, { body: claim }, { requestId });
      if (helm_chart_id === null) throw new AppError('unprocessable', 'The task does not use a chart');
      const { digest, parts, data } = await read(helm_chart_id, part);
      return { digest, parts, data: Buffer.from(data).toString('base64') };
    },
  });
};
