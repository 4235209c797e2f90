import { z } from 'zod';
import { createHttpClient } from '@berth/egress/http-client';
import { digestOf } from '@berth/bus/objects/digest-of';
import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { LRUCache } from 'lru-cache';
import { parseReply } from '../../connection/parse-reply.ts';
import type { ConnectionNeeds } from '../../connection/described-registry.ts';
import type { RegistryClient } from '../../connection/registry-client.ts';
import { RegistryError } from '../../connection/registry-error.ts';
import { createRegistrySession, type RegistryRequest, type Validator } from '../../connection/registry-session.ts';
import { createRegistryAuthorization, type OciCredentials } from '../authorization/registry-authorization.ts';
import { isRepositoryName, isTag } from '../names.ts';
import type { OciSource } from '../oci-source.ts';
import { isNotFound } from '../replies/is-not-found.ts';
import { acceptedManifests, chartPackageOf } from '../replies/manifest.ts';
import { nextPage } from '../replies/next-page.ts';

const mebibyte = 1024 * 1024;
const metadataTimeoutMs = 15_000;
const blobTimeoutMs = 60_000;
const pageSize = 1000;
const maxPages = 200;
const maxNames = 100_000;
const maxKeptLists = 5_000;
const maxKeptNames = 1_000;
/** Limits of one page, because registries may ignore the requested size. */
const pageLimits = { depth: 4, members: maxNames };

const Catalog = z.object({ repositories: z.array(z.string()).nullable() }).transform((page) => page.repositories ?? []);
const Tags = z.object({ tags: z.array(z.string()).nullable() }).transform((page) => page.tags ?? []);
const TypedManifest = z.object({ mediaType: z.string() });

/** Reads a registry by the distribution protocol. */
export function createOciClient(
  source: OciSource,
  { onRequest, ...credentials }: OciCredentials & Pick<ConnectionNeeds, 'onRequest'>,
): RegistryClient {
  const http = createHttpClient(source);
  const authorization = createRegistryAuthorization(source, http, credentials);
  const session = createRegistrySession({ source, http, authorization, onRequest });

  const pull = (repository: string): Pick<RegistryRequest, 'scope'> => ({ scope: `repository:${repository}:pull` });
  const metadata = { accept: 'application/json', maxBytes: 4 * mebibyte, timeoutMs: metadataTimeoutMs };
  // The usual limit of registries. Helm copies description and annotations of a chart into its manifest.
  const manifestRequest = { accept: acceptedManifests, maxBytes: 4 * mebibyte, timeoutMs: metadataTimeoutMs };

  /** The lists that a registry sent on one page with an `ETag`, by path. */
  const lists = new LRUCache<string, { known: Validator; names: string[] }>({ max: maxKeptLists });

  /** Reads all pages or throws: names missing from a partial list would seem to be deleted. */
  async function listAll(path: string, page: z.ZodType<string[]>, request: Pick<RegistryRequest, 'scope' | 'signal'>) {
    const names: string[] = [];
    const kept = lists.get(path);
    lists.delete(path);
    const visited = new Set<string>();
    let url: URL | null = new URL(`${path}?n=${pageSize}`, source.url);
    while (url !== null) {
      if (visited.has(url.href) || visited.size >= maxPages || names.length > maxNames) {
        throw new RegistryError('malformed', `${source.domain} lists ${path} without end`);
      }
      visited.add(url.href);
      const reply = await session.request(url, {
        ...metadata,
        ...request,
        known: visited.size === 1 ? kept?.known : undefined,
      });
      if (kept && reply.status === 304 && visited.size === 1) {
        lists.set(path, kept);
        return kept.names;
      }
      if (isNotFound(reply)) return null;
      if (reply.status !== 200) throw unexpected(reply.status, path);
      for (const name of parseReply(reply, page, 'a list of names', pageLimits)) names.push(name);
      url = nextPage(reply.headers.link, url);
      const { etag } = reply.headers;
      if (url === null && visited.size === 1 && etag !== undefined && names.length <= maxKeptNames) {
        lists.set(path, { known: { etag }, names });
      }
    }
    return names;
  }

  const unexpected = (status: number, path: string) =>
    new RegistryError('malformed', `${source.domain} answered ${status} to ${path}`);

  return {
    listsAllAtOnce: false,

    async repositories(only, signal) {
      if (only) return only;
      const names = await listAll('/v2/_catalog', Catalog, { scope: 'registry:catalog:*', signal });
      if (names === null)
        throw new RegistryError('malformed', `${source.domain} has no catalogue: configure its repositories`);
      return names.filter(isRepositoryName);
    },

    async tags(repository, signal) {
      const names = await listAll(`/v2/${repository}/tags/list`, Tags, { ...pull(repository), signal });
      return names?.filter(isTag).map((tag) => ({ tag, digest: null })) ?? null;
    },

    async manifest(repository, tag, signal) {
      const path = `/v2/${repository}/manifests/${tag}`;
      const reply = await session.request(new URL(path, source.url), {
        ...manifestRequest,
        ...pull(repository),
        signal,
      });
      if (isNotFound(reply)) return null;
      if (reply.status !== 200) throw unexpected(reply.status, path);

      const digest = digestOf(reply.body);
      const claimed = reply.headers['docker-content-digest'];
      if (typeof claimed === 'string' && claimed.startsWith('sha256:') && claimed !== digest) {
        throw new RegistryError('malformed', `${path} does not match its digest`);
      }
      const manifest = parsedBoundedJson(reply.body);
      const { data } = TypedManifest.safeParse(manifest);
      const sentAs = reply.headers['content-type']?.split(';')[0]?.trim();
      // Keeps two readers from interpreting one document differently:
      // https://github.com/opencontainers/distribution-spec/security/advisories/GHSA-mc8v-mgrf-8f4m
      if (data && sentAs !== undefined && data.mediaType !== sentAs) {
        throw new RegistryError('malformed', `${path} does not match its media type`);
      }
      return { digest, package: chartPackageOf(manifest) };
    },

    async stillHas(repository, tag, digest, signal) {
      const url = new URL(`/v2/${repository}/manifests/${tag}`, source.url);
      const reply = await session.request(url, { ...manifestRequest, ...pull(repository), method: 'HEAD', signal });
      return reply.status === 200 && reply.headers['docker-content-digest'] === digest;
    },

    async fetch(repository, { digest }, maxBytes, signal) {
      const path = `/v2/${repository}/blobs/${digest}`;
      const reply = await session.request(new URL(path, source.url), {
        accept: '*/*',
        maxBytes,
        timeoutMs: blobTimeoutMs,
        ...pull(repository),
        signal,
      });
      if (isNotFound(reply)) return null;
      if (reply.status !== 200) throw unexpected(reply.status, path);
      return reply.body;
    },

    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}
