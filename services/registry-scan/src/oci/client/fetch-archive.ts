import { archiveLimits } from '../../archive/limits.ts';
import { ReplyTooLarge } from '@berth/egress/egress-errors';
import { digestOf } from '../digest-of.ts';
import type { RegistryClient } from './registry-client.ts';

/** The registry answers, but not with the package that its manifest promises. */
export class NoArchive extends Error {
  override readonly name = 'NoArchive';
}

/** The bytes of a packaged chart, verified against their digest. */
export async function fetchArchive(
  client: Pick<RegistryClient, 'blob'>,
  { repository, digest }: { repository: string; digest: string },
  signal: AbortSignal,
): Promise<Buffer> {
  const bytes = await client.blob(repository, digest, archiveLimits.compressedBytes, signal).catch((error: unknown) => {
    if (!(error instanceof ReplyTooLarge)) throw error;
    throw new NoArchive(`the registry sends more than ${archiveLimits.compressedBytes} bytes as the package`);
  });
  if (bytes === null) throw new NoArchive('the registry does not have the package that the manifest names');
  if (digestOf(bytes) !== digest) throw new NoArchive('the registry sends another package than the manifest names');
  return bytes;
}
