import { implement } from '@berth/bus/rpc/implement';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { found } from '@berth/contracts/errors';
import type { ChartRepository } from './chart-repository.ts';

export interface ChartHandlersDeps {
  chartRepository: Pick<ChartRepository, 'list' | 'find'>;
}

export const chartHandlers = ({ chartRepository }: ChartHandlersDeps) =>
  implement(helmCharts, {
    list: ({ query }) => chartRepository.list(query),

    get: async ({ id }) => found(await chartRepository.find(id), helmCharts.singular),
  });
