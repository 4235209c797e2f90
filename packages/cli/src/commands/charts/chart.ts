import { buildRouteMap } from '@stricli/core';
import { lint } from './lint.ts';
import { preview } from './preview.ts';

export const chartRoutes = buildRouteMap({
  routes: { lint, preview },
  docs: { brief: 'Check the files of a chart, without a platform' },
});
