import { isExtensionPath } from '@berth/chart-extensions/files/extension-files';
import { ChartUnreadable } from './chart-unreadable.ts';
import { parseChart } from './parse-chart.ts';
import { brokenChart, type ParsedChart } from './parsed-chart.ts';
import { unpackFiles } from './unpack-files.ts';

const isWanted = (path: string): boolean =>
  path === 'Chart.yaml' || (isExtensionPath(path) && /\.(?:ya?ml|json)$/.test(path));

/** Unpacks and parses a packaged chart. Hostile charts take minutes: call it through `chart-parser.ts`. */
export async function readChart(archive: Uint8Array): Promise<ParsedChart> {
  try {
    return parseChart(await unpackFiles(archive, isWanted));
  } catch (error) {
    return brokenChart(error instanceof ChartUnreadable ? error.message : `the chart cannot be read: ${String(error)}`);
  }
}
