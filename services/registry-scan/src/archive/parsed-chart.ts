import { cutText } from '@berth/shared/cut-text';
import { JsonObject } from '@berth/shared/contracts/fields';
import { z } from 'zod';
import { ChartMetadata } from './chart-metadata.ts';

const maxError = 2000;

const Extension = JsonObject.nullable();

/** What a packaged chart says about itself. With an `error` none of its extensions counts. */
export const ParsedChart = z.strictObject({
  metadata: ChartMetadata.nullable(),
  values_ui: Extension,
  actions_schema: Extension,
  features: Extension,
  resource_types: Extension,
  error: z.string().nullable(),
});
export type ParsedChart = z.infer<typeof ParsedChart>;

/** A chart that cannot be used, and why; what Chart.yaml said is kept where it could be read. */
export const brokenChart = (error: string, metadata: ChartMetadata | null = null): ParsedChart => ({
  metadata,
  values_ui: null,
  actions_schema: null,
  features: null,
  resource_types: null,
  error: shown(error),
});

/** A rule may quote what it refuses, which may be as long as a file, and hold what no text of ours may. */
const shown = (error: string): string => cutText(error, maxError).replaceAll('\0', '␀');
