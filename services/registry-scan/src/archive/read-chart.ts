import { readArchive } from '@berth/chart-archive/read-archive';
import { type ParsedChart, parsedChart } from './parsed-chart.ts';

/** Unpacks and parses a packaged chart. Hostile charts take minutes: call it through `chart-parser.ts`. */
export const readChart = async (archive: Uint8Array): Promise<ParsedChart> => parsedChart(await readArchive(archive));
