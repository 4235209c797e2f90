import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { Bug } from '@berth/contracts/errors';
import { createRecordScanner, type Field, type Scanned } from './record-scanner.ts';

/** Kubernetes stores at most a megabyte, and the text of a chart unpacks to about ten. */
const maxUnpackedBytes = 16 * 1024 * 1024;
const chunkBytes = 64 * 1024;

/** The parts of a release record that Berth reads. */
export interface ReleaseRecord {
  status: string;
  version: number;
}

type Fields = ReadonlyMap<Field, Scanned>;

/** Returns null if Helm did not write the payload. */
export async function recordInPayload(data: string): Promise<ReleaseRecord | null> {
  const fields = await scan(data, { withManifest: false });
  const status = fields?.get('info.status')?.value;
  const version = fields?.get('version')?.value;
  return typeof status === 'string' && typeof version === 'number' ? { status, version } : null;
}

/** The manifest of a release, without its hooks; null if Helm did not write the payload, or the manifest is too large. */
export async function manifestInPayload(data: string): Promise<string | null> {
  const fields = await scan(data, { withManifest: true });
  const manifest = fields?.get('manifest')?.value ?? '';
  return fields?.has('info.status') && typeof manifest === 'string' ? manifest : null;
}

/** The payload with another status and otherwise unchanged bytes. Helm reads the status from here, not from the label. */
export async function withStatus(data: string, status: string, description: string): Promise<string> {
  const fields = await scan(data, { withManifest: false });
  const old = fields?.get('info.status');
  if (!old) throw new Bug('only a payload that was read is given another status');
  const oldDescription = fields?.get('info.description');
  const said = JSON.stringify(description);
  const changes = oldDescription
    ? [
        { ...old, text: JSON.stringify(status) },
        { ...oldDescription, text: said },
      ]
    : [{ ...old, text: `${JSON.stringify(status)},"description":${said}` }];
  const parts: Buffer[] = [];
  for await (const chunk of unpacked(data)) parts.push(chunk);
  const zipped = await promisify(gzip)(replaceIn(Buffer.concat(parts), changes));
  return Buffer.from(zipped.toString('base64'), 'latin1').toString('base64');
}

function replaceIn(bytes: Buffer, changes: readonly { from: number; to: number; text: string }[]): Buffer {
  let at = 0;
  const parts = changes
    .toSorted((a, b) => a.from - b.from)
    .flatMap(({ from, to, text }) => {
      const before = bytes.subarray(at, from);
      at = to;
      return [before, Buffer.from(text)];
    });
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

async function scan(data: string, { withManifest }: { withManifest: boolean }): Promise<Fields | null> {
  const scanner = createRecordScanner({ withManifest });
  try {
    for await (const chunk of unpacked(data)) scanner.push(chunk);
    return scanner.end();
  } catch {
    return null;
  }
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Helm stores a release as base64 of gzip of JSON, which Kubernetes encodes in base64 once more (`data.release`). */
async function* unpacked(data: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  gunzip.end(Buffer.from(Buffer.from(data, 'base64').toString('latin1'), 'base64'));
  let bytes = 0;
  // Chunks arrive in separate turns of the event loop, so others are served between them.
  for await (const chunk of gunzip) {
    bytes += chunk.length;
    if (bytes > maxUnpackedBytes) throw new TooLarge();
    yield chunk;
  }
}
