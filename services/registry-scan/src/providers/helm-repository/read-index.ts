import { gatherBytes } from '@berth/contracts/gather-bytes';
import { JsonTooLarge, parseBoundedJson } from '@berth/contracts/fields/bounded-json';
import { nextTurn } from '@berth/service/waiting/next-turn';
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
const jsonLimits = { depth: 64, members: 150_000 };
const entriesInTurn = 2_000;
const openingBrace = 0x7b;

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
  const whole = parsed(gathered.take());
  const entries = isObject(whole) ? whole['entries'] : undefined;
  if (!isObject(entries)) throw notAnIndex();
  const builder = buildIndex(kept);
  let count = 0;
  for (const [chart, versions] of Object.entries(entries)) {
    builder.addChart(chart);
    if (versions !== null && !Array.isArray(versions)) throw notAnIndex();
    for (const entry of versions ?? []) {
      if (!isObject(entry)) throw notAnIndex();
      builder.add(chart, { version: textIn(entry['version']), digest: digestIn(entry), urls: textsIn(entry['urls']) });
    }
    count += 1 + (versions?.length ?? 0);
    if (count > entriesInTurn) {
      await nextTurn();
      count = 0;
    }
  }
  return builder;
}

function parsed(json: Uint8Array): unknown {
  try {
    return parseBoundedJson(json, jsonLimits);
  } catch (error) {
    if (!(error instanceof JsonTooLarge)) throw notAnIndex();
    throw new RegistryError('malformed', `the index is JSON, and ${error.message}: write it as YAML`);
  }
}

const notAnIndex = (): RegistryError =>
  new RegistryError('malformed', 'the index is JSON, but not the index of a chart repository');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
/** A digest that is not a text must not count as absent. */
const digestIn = (entry: Record<string, unknown>): string | undefined =>
  entry['digest'] === undefined ? undefined : (textIn(entry['digest']) ?? 'unreadable');
const textsIn = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((text) => typeof text === 'string') ? value : undefined;

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
