import { z } from 'zod';
import { createHttpClient } from '@berth/egress/http-client';
import { digestOf } from '../digest-of.ts';
import { acceptedManifests, type ChartLayer, chartLayerOf } from '../replies/manifest.ts';
import { isRepositoryName, isTag } from '../names.ts';
import { nextPage } from '../replies/next-page.ts';
import { jsonOf, parseReply } from '../replies/parse-reply.ts';
import { RegistryError } from '../registry-error.ts';
import { createRegistrySession, type RegistryRequest } from './registry-session.ts';
import type { RegistrySource } from '../registry-source.ts';
import { saysGone } from '../replies/is-not-found.ts';

const mebibyte = 1024 * 1024;
const metadataTimeoutMs = 15_000;
const blobTimeoutMs = 60_000;
const pageSize = 1000;
const maxPages = 200;
const maxNames = 100_000;

const Catalog = z.object({ repositories: z.array(z.string()).nullable() }).transform((page) => page.repositories ?? []);
const Tags = z.object({ tags: z.array(z.string()).nullable() }).transform((page) => page.tags ?? []);
const TypedManifest = z.object({ mediaType: z.string() });

/** What a tag points to; `layer` is null where that is no chart. */
export interface TaggedManifest {
  digest: string;
  layer: ChartLayer | null;
}

/** Reads one registry. `null` always means that the registry itself says: there is no such thing. */
export interface RegistryClient extends Disposable {
  repositories(signal: AbortSignal): Promise<string[]>;
  tags(repository: string, signal: AbortSignal): Promise<string[] | null>;
  manifest(repository: string, tag: string, signal: AbortSignal): Promise<TaggedManifest | null>;
  /** True where the registry says, for little, that the tag still has this digest. */
  stillHas(repository: string, tag: string, digest: string, signal: AbortSignal): Promise<boolean>;
  /** The bytes as they came: they are not verified yet. */
  blob(repository: string, digest: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | null>;
}

export function createRegistryClient(source: RegistrySource): RegistryClient {
  const http = createHttpClient(source);
  const session = createRegistrySession(source, http);

  const pull = (repository: string): Pick<RegistryRequest, 'scope'> => ({ scope: `repository:${repository}:pull` });
  const metadata = { accept: 'application/json', maxBytes: 4 * mebibyte, timeoutMs: metadataTimeoutMs };
  // What registries take at most: Helm puts description and annotations of a chart into its manifest.
  const manifestRequest = { accept: acceptedManifests, maxBytes: 4 * mebibyte, timeoutMs: metadataTimeoutMs };

  /** All pages, or an error: half a list would look as if the rest had been deleted. */
  async function listAll(path: string, page: z.ZodType<string[]>, request: Pick<RegistryRequest, 'scope' | 'signal'>) {
    const names: string[] = [];
    const seen = new Set<string>();
    let url: URL | null = new URL(`${path}?n=${pageSize}`, source.url);
    while (url !== null) {
      if (seen.has(url.href) || seen.size >= maxPages || names.length > maxNames) {
        throw new RegistryError('nonsense', `${source.domain} lists ${path} without end`);
      }
      seen.add(url.href);
      const reply = await session.ask(url, { ...metadata, ...request });
      if (saysGone(reply)) return null;
      if (reply.status !== 200) throw unexpected(reply.status, path);
      names.push(...parseReply(reply, page, 'a list of names'));
      url = nextPage(reply.headers.link, url);
    }
    return names;
  }

  const unexpected = (status: number, path: string) =>
    new RegistryError('nonsense', `${source.domain} answered ${status} to ${path}`);

  return {
    async repositories(signal) {
      const names = await listAll('/v2/_catalog', Catalog, { scope: 'registry:catalog:*', signal });
      if (names === null)
        throw new RegistryError('nonsense', `${source.domain} has no catalogue: configure repositories`);
      return names.filter(isRepositoryName);
    },

    async tags(repository, signal) {
      const names = await listAll(`/v2/${repository}/tags/list`, Tags, { ...pull(repository), signal });
      return names?.filter(isTag) ?? null;
    },

    async manifest(repository, tag, signal) {
      const path = `/v2/${repository}/manifests/${tag}`;
      const reply = await session.ask(new URL(path, source.url), { ...manifestRequest, ...pull(repository), signal });
      if (saysGone(reply)) return null;
      if (reply.status !== 200) throw unexpected(reply.status, path);

      const digest = digestOf(reply.body);
      const claimed = reply.headers['docker-content-digest'];
      if (typeof claimed === 'string' && claimed.startsWith('sha256:') && claimed !== digest) {
        throw new RegistryError('nonsense', `${path} is not what its digest says`);
      }
      const manifest = jsonOf(reply);
      const { data } = TypedManifest.safeParse(manifest);
      const sentAs = reply.headers['content-type']?.split(';')[0]?.trim();
      // One document must not be two things to two readers: https://github.com/opencontainers/distribution-spec/security/advisories/GHSA-mc8v-mgrf-8f4m
      if (data && sentAs !== undefined && data.mediaType !== sentAs) {
        throw new RegistryError('nonsense', `${path} was sent as another media type than it names`);
      }
      return { digest, layer: chartLayerOf(manifest) };
    },

    async stillHas(repository, tag, digest, signal) {
      const url = new URL(`/v2/${repository}/manifests/${tag}`, source.url);
      const reply = await session.ask(url, { ...manifestRequest, ...pull(repository), method: 'HEAD', signal });
      return reply.status === 200 && reply.headers['docker-content-digest'] === digest;
    },

    async blob(repository, digest, maxBytes, signal) {
      const path = `/v2/${repository}/blobs/${digest}`;
      const reply = await session.ask(new URL(path, source.url), {
        accept: '*/*',
        maxBytes,
        timeoutMs: blobTimeoutMs,
        ...pull(repository),
        signal,
      });
      if (saysGone(reply)) return null;
      if (reply.status !== 200) throw unexpected(reply.status, path);
      return reply.body;
    },

    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}
