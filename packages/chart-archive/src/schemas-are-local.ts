import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parsedJson } from '@berth/contracts/fields/json';
import { archiveLimits } from './archive-limits.ts';
import { unpackBytes } from './unpack-files.ts';

/** Helm knows these itself, and loads every other one. */
const knownDraft = /^https?:\/\/json-schema\.org\/(?:draft-0[467]|draft\/2019-09|draft\/2020-12)\/schema#?$/;
const references = ['$ref', '$dynamicRef', '$recursiveRef'];

const isSchema = (path: string): boolean => /(?:^|\/)values\.schema\.json$/.test(path);
/** A subchart may be packed, and have others in it. */
const isPacked = (path: string): boolean => path.endsWith('.tgz');
const isLookedAt = (path: string): boolean => isSchema(path) || isPacked(path);
const mostNested = 8;

/**
 * Whether all schemas of a packaged chart and its subcharts refer to nothing but themselves. Helm loads what they refer to, from any
 * host or file that the process can read. Whatever cannot be read for sure is not local. Hostile charts take long: limit the process
 * that calls it.
 */
export async function schemasAreLocal(archive: Uint8Array, nested = 0): Promise<boolean> {
  if (nested > mostNested) return false;
  try {
    const files = await unpackBytes(archive, isLookedAt, archiveLimits.fileBytes);
    if ((await namesIn(archive)).filter(isLookedAt).length > files.size) return false;
    for (const [path, bytes] of files) {
      const isLocal = isSchema(path) ? isLocalSchema(bytes) : await schemasAreLocal(bytes, nested + 1);
      if (!isLocal) return false;
    }
    return true;
  } catch {
    return false;
  }
}

function isLocalSchema(bytes: Buffer): boolean {
  const left: unknown[] = [parsedJson(bytes.toString('utf8'))];
  if (left[0] === undefined) return false;
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && !isLocalValue(name, inner)) return false;
      left.push(inner);
    }
  }
  return true;
}

const isLocalValue = (name: string, text: string): boolean =>
  name === '$schema' ? knownDraft.test(text) : !references.includes(name) || text.startsWith('#');

const blockBytes = 512;

/** Names in all headers as Helm may read them: another reader of tar files may give an entry the name of a global header. */
async function namesIn(archive: Uint8Array): Promise<string[]> {
  const names: string[] = [];
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of Readable.from([archive]).pipe(createGunzip())) {
    const bytes: Buffer = Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + blockBytes <= bytes.length; at += blockBytes) {
      const header = bytes.subarray(at, at + blockBytes);
      if (header[0] !== 0 && isHeader(header)) names.push(header.toString('latin1', 0, 100).split('\0', 1)[0] ?? '');
    }
    rest = bytes.subarray(at);
  }
  return names;
}

/** The sum of its bytes, where those of the sum itself count as spaces. */
function isHeader(block: Buffer): boolean {
  const said = Number.parseInt(block.toString('latin1', 148, 156).replaceAll('\0', ' ').trim(), 8);
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum === said;
}
