import { defectOf } from '@berth/chart-extensions/files/chart-defect';
import { ChartUnreadable } from './chart-unreadable.ts';
import { type ChartVerdict, refusedChart } from './chart-verdict.ts';
import { isParsed, parseChart } from './parse-chart.ts';
import { unpackFiles } from './unpack-files.ts';

/** Unpacks and parses a packaged chart. Hostile charts take minutes: limit the process that calls it. */
export async function readArchive(archive: Uint8Array): Promise<ChartVerdict> {
  try {
    return parseChart(await unpackFiles(archive, isParsed));
  } catch (error) {
    const rule = error instanceof ChartUnreadable ? error.message : `the chart cannot be read: ${String(error)}`;
    return refusedChart([defectOf(null, rule)]);
  }
}
