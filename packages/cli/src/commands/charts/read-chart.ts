import { readFile, stat } from 'node:fs/promises';
import type { ChartVerdict } from '@berth/chart-archive/chart-verdict';
import { CliFailure } from '../../failure/cli-failure.ts';

/** What the registry scan would read from the folder of a chart, or from its package. */
export async function readChart(path: string): Promise<ChartVerdict> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new CliFailure('usage', `${path} cannot be read`, { cause });
  });
  if (found.isDirectory()) {
    const { readFolder } = await import('@berth/chart-archive/read-folder');
    return readFolder(path);
  }
  const { archiveLimits } = await import('@berth/chart-archive/archive-limits');
  if (!found.isFile()) throw new CliFailure('usage', `${path} is neither a folder nor a package`);
  if (found.size > archiveLimits.compressedBytes) {
    throw new CliFailure('failed', `${path} is larger than ${archiveLimits.compressedBytes} bytes`);
  }
  const { readArchive } = await import('@berth/chart-archive/read-archive');
  return readArchive(await readFile(path));
}
