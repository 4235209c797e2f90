import type { ChartDefect } from '@berth/chart-extensions/files/chart-defect';
import type { ChartExtensions } from '@berth/chart-extensions/files/read-extensions';
import type { ChartMetadata } from './chart-metadata.ts';

/** What Berth reads from a chart. With defects it cannot be deployed and has no extensions. */
export interface ChartVerdict extends ChartExtensions {
  /** Null if `Chart.yaml` cannot be read. */
  metadata: ChartMetadata | null;
}

/** The verdict on a chart that cannot be deployed. */
export const refusedChart = (defects: ChartDefect[], metadata: ChartMetadata | null = null): ChartVerdict => ({
  metadata,
  values_ui: null,
  actions_schema: null,
  features: null,
  resource_types: null,
  defects,
});
