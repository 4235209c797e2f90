import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { defectOf } from '@berth/chart-extensions/files/chart-defect';
import { layouts } from '@berth/chart-extensions/files/extension-files';
import { archiveLimits } from './archive-limits.ts';
import { ChartUnreadable } from './chart-unreadable.ts';
import { type ChartVerdict, refusedChart } from './chart-verdict.ts';
import { isParsed, parseChart } from './parse-chart.ts';
import { utf8Text } from './utf8-text.ts';

/** Parses the files of a chart that is not packaged yet: the verdict that its package would get. */
export async function readFolder(folder: string): Promise<ChartVerdict> {
  const files = new Map<string, string>();
  try {
    for (const path of await parsedPaths(folder)) files.set(path, await textOf(folder, path));
  } catch (error) {
    if (error instanceof ChartUnreadable) return refusedChart([defectOf(null, error.message)]);
    throw error;
  }
  return parseChart(files);
}

/** Paths below the chart's folder. Other folders are not entered: templates and subcharts may be large. */
async function parsedPaths(folder: string): Promise<string[]> {
  const paths = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      if (!layouts.some((layout) => layout.folder === `${name}/`)) return [name];
      const below = await readdir(join(folder, name), { recursive: true });
      return below.map((path) => [name, ...path.split(sep)].join('/'));
    }),
  );
  return paths.flat().filter(isParsed).toSorted();
}

async function textOf(folder: string, path: string): Promise<string> {
  const file = join(folder, path);
  const found = await stat(file);
  if (!found.isFile()) throw new ChartUnreadable(`${path} is not a file`);
  const { size } = found;
  if (size > archiveLimits.readBytes) {
    throw new ChartUnreadable(`${path} is larger than ${archiveLimits.readBytes} bytes`);
  }
  return utf8Text(await readFile(file), path);
}
