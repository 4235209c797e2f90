import { isExtensionPath } from '@berth/shared/chart-extensions/extension-files';
import type { ChartParser, ParseOutcome } from './chart-parser.ts';
import { ChartUnreadable } from './chart-unreadable.ts';
import { brokenChart } from './parsed-chart.ts';
import { readArchive } from './read-archive.ts';

const isWanted = (path: string): boolean =>
  path === 'Chart.yaml' || (isExtensionPath(path) && /\.(?:ya?ml|json)$/.test(path));

/** What a packaged chart says about itself, whatever it may be in truth. */
export async function readChart(archive: Uint8Array, parser: ChartParser): Promise<ParseOutcome> {
  try {
    return await parser.parse(await readArchive(archive, isWanted));
  } catch (error) {
    if (error instanceof ChartUnreadable) return { chart: brokenChart(error.message), settled: true };
    throw error;
  }
}
