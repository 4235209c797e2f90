import { archiveLimits } from '@berth/chart-archive/archive-limits';
import { ReplyTooLarge } from '@berth/egress/egress-errors';
import { digestOf } from '@berth/bus/objects/digest-of';
import type { ChartPackage, RegistryClient } from './registry-client.ts';

/** The registry answered, but not with the package that it names. */
export class NoArchive extends Error {
  override readonly name = 'NoArchive';
}

/** Fetches a packaged chart and verifies its digest. */
export async function fetchArchive(
  client: Pick<RegistryClient, 'fetch'>,
  { repository, digest, url }: { repository: string } & Pick<ChartPackage, 'digest' | 'url'>,
  signal: AbortSignal,
): Promise<Buffer> {
  const { compressedBytes } = archiveLimits;
  const bytes = await client.fetch(repository, { digest, url }, compressedBytes, signal).catch((error: unknown) => {
    if (!(error instanceof ReplyTooLarge)) throw error;
    throw new NoArchive(`the package that the registry sends is larger than ${compressedBytes} bytes`);
  });
  if (bytes === null) throw new NoArchive('the registry does not have the package that it names');
  if (digestOf(bytes) !== digest) throw new NoArchive('the package that the registry sends does not match its digest');
  return bytes;
}
