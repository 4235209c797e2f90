import { ChartMetadata } from '@berth/chart-archive/chart-metadata';
import type { ChartVerdict } from '@berth/chart-archive/chart-verdict';
import { errorOf } from '@berth/chart-extensions/files/chart-defect';
import { cutText } from '@berth/contracts/cut-text';
import { JsonObject } from '@berth/contracts/fields/fields';
import { z } from 'zod';

const maxError = 2000;

const Extension = JsonObject.nullable();

/** The metadata and extensions of a packaged chart. With an `error` it has no extensions. */
export const ParsedChart = z.strictObject({
  metadata: ChartMetadata.nullable(),
  values_ui: Extension,
  actions_schema: Extension,
  features: Extension,
  resource_types: Extension,
  error: z.string().nullable(),
});
export type ParsedChart = z.infer<typeof ParsedChart>;

/** The stored form of a verdict. */
export function parsedChart({ defects, ...chart }: ChartVerdict): ParsedChart {
  const error = errorOf(defects);
  return error === null ? { ...chart, error } : brokenChart(error, chart.metadata);
}

/** A chart that cannot be deployed, with the reason; its metadata is kept if Chart.yaml could be read. */
export const brokenChart = (error: string, metadata: ChartMetadata | null = null): ParsedChart => ({
  metadata,
  values_ui: null,
  actions_schema: null,
  features: null,
  resource_types: null,
  error: shown(error),
});

/** Cuts and cleans an error, which may quote the chart: it can be as long as a file, or have a NUL, which Postgres refuses. */
const shown = (error: string): string => cutText(error, maxError).replaceAll('\0', '␀');
