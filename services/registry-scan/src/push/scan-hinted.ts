import type { PushHint } from '../connection/push-hint.ts';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import { scanRepository } from '../scan/scan-repository.ts';
import { scanTag } from '../scan/scan-tag.ts';

/** Scans what a push event names; returns whether that is what the event promised. */
export async function scanHinted(
  deps: ScanDeps,
  registry: ScannedRegistry,
  { repository, tag, digest }: Omit<PushHint, 'host'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (tag === null) {
    await scanRepository(deps, registry, repository, { signal });
    return true;
  }
  const found = await scanTag(deps, registry, { repository, tag }, signal);
  return found !== null && (digest === null || found === digest);
}
