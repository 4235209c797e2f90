import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { ChartUnreadable } from './chart-unreadable.ts';
import { entryPath } from './entry-path.ts';
import { archiveLimits as limits } from './archive-limits.ts';
import { utf8Text } from './utf8-text.ts';

interface Entry extends AsyncIterable<unknown> {
  header: Header;
}

/** Unpacks the wanted files of a packaged chart as texts, by their path below the chart's folder. */
export async function unpackFiles(
  archive: Uint8Array,
  wanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const files = await unpackBytes(archive, wanted, limits.readBytes);
  return new Map([...files].map(([path, bytes]) => [path, utf8Text(bytes, path)]));
}

/** The same as bytes. It writes nothing to disk and stops unpacking at the limits. */
export async function unpackBytes(
  archive: Uint8Array,
  wanted: (path: string) => boolean,
  mostBytes: number,
): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const paths = new Set<string>();
  const folders = new Set<string>();
  let entries = 0;

  async function take(entry: Entry): Promise<void> {
    const { name, type, size, pax } = entry.header;
    entries += 1;
    if (entries > limits.entries) throw new ChartUnreadable(`the archive has more than ${limits.entries} entries`);

    // Helm knows such a file under the name that these fields give it.
    if (Object.keys(pax ?? {}).some((field) => field.startsWith('GNU.sparse.'))) {
      throw new ChartUnreadable('the archive has a sparse file');
    }
    const { chart, path } = entryPath(name);
    folders.add(chart);
    if (folders.size > 1) throw new ChartUnreadable('the archive has more than one folder at the top level');
    // Helm reads links and devices as empty files. A file that Berth parses must be a regular file.
    if (type !== 'file' && type !== 'directory') {
      if (wanted(path)) throw new ChartUnreadable(`${path} is not a regular file but a ${type}`);
      return skip(entry);
    }
    if (size > limits.fileBytes) throw new ChartUnreadable(`${path} is larger than ${limits.fileBytes} bytes`);
    if (type === 'directory') return skip(entry);

    if (path === '') throw new ChartUnreadable('the archive has a file in place of the chart folder');
    if (paths.has(path)) throw new ChartUnreadable(`${path} is in the archive twice`);
    paths.add(path);
    if (!wanted(path)) return skip(entry);

    if (size > mostBytes) throw new ChartUnreadable(`${path} is larger than ${mostBytes} bytes`);
    files.set(path, await bytesOf(entry));
  }

  const unpack = extract();
  const outcomes = await Promise.allSettled([
    pipeline(Readable.from(inPieces(archive)), createGunzip(), countingBytes(), unpack),
    (async () => {
      for await (const entry of unpack) await take(entry);
    })(),
  ]);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [asUnreadable(outcome.reason)] : []));
  // When one side fails, the other fails as well; report the defect of the archive, not "premature close".
  const failure = failures.find(({ cause }) => cause === undefined) ?? failures[0];
  if (failure) throw failure;
  return files;
}

function asUnreadable(error: unknown): ChartUnreadable {
  if (error instanceof ChartUnreadable) return error;
  const words = error instanceof Error ? `: ${error.message}` : '';
  return new ChartUnreadable(`the archive is not a gzipped tar file${words}`, { cause: error });
}

/** Feeds small pieces, so that little is unpacked ahead of the reader. */
function* inPieces(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 16 * 1024) yield bytes.subarray(at, at + 16 * 1024);
}

function countingBytes(): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count > limits.unpackedBytes) {
        return done(new ChartUnreadable(`the archive is larger than ${limits.unpackedBytes} bytes unpacked`));
      }
      return done(null, chunk);
    },
  });
}

async function skip(entry: Entry): Promise<void> {
  const chunks = entry[Symbol.asyncIterator]();
  while ((await chunks.next()).done !== true);
}

async function bytesOf(entry: Entry): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks);
}
