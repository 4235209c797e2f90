import { basename } from 'node:path';
import { ToolUnavailable } from './tool-unavailable.ts';
import { trustSystemCertificates } from './trust-system-certificates.ts';

/** Short, because machines that cannot reach publishers build the tools instead. */
const PATIENCE_MS = 15_000;
const LARGEST = 1024 ** 2;

/** The SHA-256 that a publisher lists for a release. */
export async function publishedChecksum(
  { url, checksums }: { url: string; checksums: string },
  signal: AbortSignal,
): Promise<string> {
  trustSystemCertificates();
  const response = await fetch(checksums, { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) });
  if (!response.ok) throw new ToolUnavailable(`${checksums} answered ${response.status}`);
  const text = await response.text();
  const sum = text.length > LARGEST ? undefined : checksumIn(text, basename(new URL(url).pathname));
  if (sum === undefined) throw new ToolUnavailable(`${checksums} lists no SHA-256 of ${url}`);
  return sum;
}

/** Reads a list as written by `sha256sum`, or a text with only the checksum. */
export function checksumIn(text: string, name: string): string | undefined {
  const alone = /^\s*([\da-f]{64})\s*$/i.exec(text)?.[1];
  if (alone) return alone.toLowerCase();
  for (const line of text.split('\n')) {
    const [, sum, listed = ''] = /^([\da-f]{64})\s+\*?(\S+)\s*$/i.exec(line) ?? [];
    if (sum && basename(listed) === name) return sum.toLowerCase();
  }
  return undefined;
}
