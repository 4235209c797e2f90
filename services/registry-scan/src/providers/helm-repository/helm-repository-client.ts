import { createHash } from 'node:crypto';
import { digestOf } from '@berth/bus/objects/digest-of';
import { archiveLimits } from '@berth/chart-archive/archive-limits';
import { createHttpClient } from '@berth/egress/http-client';
import { basicOnly } from '../../connection/basic-only.ts';
import { NoArchive } from '../../connection/fetch-archive.ts';
import type { ConnectionNeeds } from '../../connection/described-registry.ts';
import type { RegistryClient } from '../../connection/registry-client.ts';
import { RegistryError } from '../../connection/registry-error.ts';
import { createRegistrySession, type RegistryRequest, type Validator } from '../../connection/registry-session.ts';
import type { RegistrySource } from '../../connection/registry-source.ts';
import type { ChartIndex, IndexEntry } from './chart-index.ts';
import { readIndex } from './read-index.ts';
import { createSeenPackages } from './seen-packages.ts';

const maxIndexBytes = 64 * 1024 * 1024;
const indexTimeoutMs = 180_000;
const packageTimeoutMs = 60_000;
/** Packages whose digests are remembered: some 10 MB. */
const mostSeen = 20_000;
/** Of a repository of which single charts are wanted: there may be a thousand. */
const mostSeenOfCharts = 200;

/** An index as it was received. */
interface Received {
  index: ChartIndex;
  validator: Validator;
  hash: string;
}

/** What the next round need not read again, and until when. */
interface Remembered extends Omit<Received, 'index'> {
  until: number;
}

/** Reads a chart repository. Its index is in memory only during a round. */
export function createHelmRepositoryClient(
  source: RegistrySource,
  { readCredentials, onRequest, only }: ConnectionNeeds,
): RegistryClient {
  const http = createHttpClient(source);
  const authorization = basicOnly(source.domain, readCredentials);
  const session = createRegistrySession({ source, http, authorization, onRequest });
  const base = new URL(source.url);
  base.pathname = base.pathname.replace(/\/*$/, '/');
  const indexUrl = new URL(base);
  indexUrl.pathname += 'index.yaml';

  let current: Received | null = null;
  let remembered: Remembered | null = null;
  const seen = createSeenPackages(only ? mostSeenOfCharts : mostSeen);

  /** Null if the index is the one that is known. */
  async function requestIndex(known: Validator | undefined, signal: AbortSignal): Promise<Received | null> {
    const read: { whole?: Omit<Received, 'validator'> } = {};
    const reply = await session.request(indexUrl, {
      scope: '',
      accept: 'application/yaml, application/x-yaml, text/yaml, */*',
      known,
      maxBytes: maxIndexBytes,
      timeoutMs: indexTimeoutMs,
      signal,
      consume: async (body) => {
        const hash = createHash('sha256');
        const { index } = await readIndex(hashed(body, hash), { base, only });
        read.whole = { index, hash: hash.digest('hex') };
      },
    });
    if (reply.status === 304 && known) return null;
    if (!read.whole) throw new RegistryError('malformed', `${source.domain} answered ${reply.status} to index.yaml`);
    const { etag, 'last-modified': lastModified } = reply.headers;
    return { ...read.whole, validator: { etag, lastModified } };
  }

  async function indexNow(signal: AbortSignal): Promise<ChartIndex> {
    current ??= await requestIndex(undefined, signal);
    if (!current) throw new RegistryError('malformed', `${source.domain} answered 304 to a request without conditions`);
    return current.index;
  }

  /** Null if it is missing. */
  async function request(url: string, options: Pick<RegistryRequest, 'maxBytes' | 'known' | 'signal'>) {
    const at = new URL(url);
    if (at.protocol !== 'https:' && at.protocol !== 'http:') {
      throw new NoArchive(`the package is at ${at.protocol}//${at.host}: configure that registry beside this one`);
    }
    const reply = await session.request(at, { scope: '', accept: '*/*', timeoutMs: packageTimeoutMs, ...options });
    if (reply.status === 404 || reply.status === 410) return null;
    if (reply.status === 200 || (reply.status === 304 && options.known)) return reply;
    throw new RegistryError('malformed', `${at.host} answered ${reply.status} instead of a package`);
  }

  async function download(url: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | null> {
    const reply = await request(url, { maxBytes, signal });
    return reply && reply.body;
  }

  /** Without a digest in the index only the package itself shows what a version is now. It is downloaded when it has changed. */
  async function digestAt({ digest, url }: IndexEntry, signal: AbortSignal): Promise<string | null> {
    if (digest !== null) return digest;
    const known = seen.at(url);
    const reply = await request(url, { maxBytes: archiveLimits.compressedBytes, known: known?.validator, signal });
    if (reply === null) return null;
    if (known && reply.status === 304) return known.digest;
    const current = digestOf(reply.body);
    seen.note(url, { digest: current, headers: reply.headers });
    return current;
  }

  return {
    listsAllAtOnce: true,

    async repositories(only, signal) {
      const known = remembered && performance.now() < remembered.until ? remembered : null;
      const received = await requestIndex(known?.validator, signal);
      if (received === null || received.hash === known?.hash) return 'unchanged';
      current = received;
      return only ?? [...received.index.keys()];
    },

    async tags(repository, signal) {
      const versions = (await indexNow(signal)).get(repository);
      return versions ? [...versions].map(([tag, { digest }]) => ({ tag, digest })) : null;
    },

    async manifest(repository, tag, signal) {
      const entry = (await indexNow(signal)).get(repository)?.get(tag);
      if (!entry) return null;
      const digest = await digestAt(entry, signal);
      // The index lists the version, so it is not gone.
      if (digest === null)
        throw new RegistryError('malformed', `${source.domain} lacks a package that its index names`);
      return { digest, package: { digest, size: null, url: entry.url } };
    },

    async stillHas(repository, tag, digest, signal) {
      const entry = (await indexNow(signal)).get(repository)?.get(tag);
      return entry !== undefined && (await digestAt(entry, signal)) === digest;
    },

    async fetch(_, { url }, maxBytes, signal) {
      if (url === null) throw new NoArchive('the index does not say where the package is');
      return download(url, maxBytes, signal);
    },

    endRound({ isComplete, readAgainAfterMs }) {
      if (!isComplete) remembered = null;
      else if (current) {
        const { validator, hash } = current;
        remembered = { validator, hash, until: performance.now() + readAgainAfterMs };
      }
      current = null;
    },

    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

async function* hashed(body: AsyncIterable<Uint8Array>, hash: { update(bytes: Uint8Array): unknown }) {
  for await (const piece of body) {
    hash.update(piece);
    yield piece;
  }
}
