import { implement } from '@berth/bus/rpc/implement';
import { chartVersions } from '@berth/contracts/resources/charts/chart-versions';
import type { ChartVersionRepository } from './chart-version-repository.ts';

export interface ChartVersionHandlersDeps {
  chartVersionRepository: ChartVersionRepository;
}

export const chartVersionHandlers = ({ chartVersionRepository }: ChartVersionHandlersDeps) =>
  implement(chartVersions, {
    list: ({ query }) => chartVersionRepository.list(query),
  });
