import { gatherBytes } from '@berth/contracts/gather-bytes';
import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { z } from 'zod';
import { RegistryError } from '../../connection/registry-error.ts';
import { createBlockIndexReader } from './block-index-reader.ts';
import { buildIndex, type ChartIndex, type Kept } from './chart-index.ts';
import { eachLine } from './each-line.ts';

/** The usable entries of an index, and how many others it has. */
export interface ReadIndex {
  index: ChartIndex;
  skipped: number;
}

/** JSON is parsed in one piece. */
const maxJsonBytes = 8 * 1024 * 1024;
const jsonLimits = { depth: 64, members: 500_000 };
const openingBrace = 0x7b;

const Text = z.string().optional().catch(undefined);
const JsonIndex = z.object({
  entries: z.record(
    z.string(),
    z
      .array(z.object({ version: Text, digest: z.unknown(), urls: z.array(z.string()).optional().catch(undefined) }))
      .nullable(),
  ),
});

/** Reads an `index.yaml` as it arrives, in memory that grows with the number of its entries, not with its size. */
export async function readIndex(body: AsyncIterable<Uint8Array>, kept: Kept): Promise<ReadIndex> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = rejoined(first, pieces);
  return !first.done && isJson(first.value) ? readJson(all, kept) : readBlocks(all, kept);
}

async function readBlocks(body: AsyncIterable<Uint8Array>, kept: Kept): Promise<ReadIndex> {
  const builder = buildIndex(kept);
  const reader = createBlockIndexReader(builder);
  await eachLine(body, reader.line);
  reader.end();
  return builder;
}

/** JSON is YAML, too: `helm repo index --json`. */
async function readJson(body: AsyncIterable<Uint8Array>, kept: Kept): Promise<ReadIndex> {
  const gathered = gatherBytes(maxJsonBytes);
  for await (const piece of body) {
    if (!gathered.add(piece)) {
      throw new RegistryError('malformed', `the index is JSON of more than ${maxJsonBytes} bytes: write it as YAML`);
    }
  }
  const { data } = JsonIndex.safeParse(parsedBoundedJson(gathered.take(), jsonLimits));
  if (!data) throw new RegistryError('malformed', 'the index is JSON, but not the index of a chart repository');
  const builder = buildIndex(kept);
  for (const [chart, entries] of Object.entries(data.entries)) {
    builder.addChart(chart);
    for (const { digest, ...entry } of entries ?? []) {
      builder.add(chart, { ...entry, digest: typeof digest === 'string' ? digest : undefined });
    }
  }
  return builder;
}

const isJson = (bytes: Uint8Array): boolean =>
  bytes.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) === openingBrace;

async function* rejoined(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
