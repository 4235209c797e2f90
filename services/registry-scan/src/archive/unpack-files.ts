import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { ChartUnreadable } from './chart-unreadable.ts';
import { entryPath } from './entry-path.ts';
import { archiveLimits as limits } from './limits.ts';

interface Entry extends AsyncIterable<unknown> {
  header: Header;
}

/**
 * The files of a packaged chart that are wanted, by their path below the chart's folder. Nothing is written anywhere,
 * and no more than the limits is ever unpacked.
 */
export async function readArchive(
  archive: Uint8Array,
  wanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const seen = new Set<string>();
  const folders = new Set<string>();
  let entries = 0;

  async function take(entry: Entry): Promise<void> {
    const { name, type, size } = entry.header;
    entries += 1;
    if (entries > limits.entries) throw new ChartUnreadable(`the archive has more than ${limits.entries} entries`);

    const { chart, path } = entryPath(name);
    folders.add(chart);
    if (folders.size > 1) throw new ChartUnreadable('the archive has more than one folder at its top');
    // Helm reads links and the like as empty files. Of what says how a chart is deployed that would be a guess.
    if (type !== 'file' && type !== 'directory') {
      if (wanted(path)) throw new ChartUnreadable(`${path} is not a regular file but ${type}`);
      return skip(entry);
    }
    if (size > limits.fileBytes) throw new ChartUnreadable(`${path} is larger than ${limits.fileBytes} bytes`);
    if (type === 'directory') return skip(entry);

    if (path === '') throw new ChartUnreadable('the archive has a file where the folder of the chart should be');
    if (seen.has(path)) throw new ChartUnreadable(`${path} is in the archive twice`);
    seen.add(path);
    if (!wanted(path)) return skip(entry);

    if (size > limits.readBytes) throw new ChartUnreadable(`${path} is larger than ${limits.readBytes} bytes`);
    files.set(path, await textOf(entry, path));
  }

  const unpack = extract();
  const outcomes = await Promise.allSettled([
    pipeline(Readable.from(inPieces(archive)), createGunzip(), countingBytes(), unpack),
    (async () => {
      for await (const entry of unpack) await take(entry);
    })(),
  ]);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [asUnreadable(outcome.reason)] : []));
  // Each side fails when the other does; what was found wrong in the archive says more than "premature close".
  const failure = failures.find(({ cause }) => cause === undefined) ?? failures[0];
  if (failure) throw failure;
  return files;
}

function asUnreadable(error: unknown): ChartUnreadable {
  if (error instanceof ChartUnreadable) return error;
  const words = error instanceof Error ? `: ${error.message}` : '';
  return new ChartUnreadable(`the archive is not a gzipped tar file${words}`, { cause: error });
}

/** Small pieces keep what is unpacked ahead of the reader small. */
function* inPieces(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 16 * 1024) yield bytes.subarray(at, at + 16 * 1024);
}

function countingBytes(): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count > limits.unpackedBytes) {
        return done(new ChartUnreadable(`the archive unpacks to more than ${limits.unpackedBytes} bytes`));
      }
      return done(null, chunk);
    },
  });
}

async function skip(entry: Entry): Promise<void> {
  const chunks = entry[Symbol.asyncIterator]();
  while ((await chunks.next()).done !== true);
}

async function textOf(entry: Entry, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) if (chunk instanceof Uint8Array) chunks.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ChartUnreadable(`${path} is not UTF-8 text`);
  }
}
