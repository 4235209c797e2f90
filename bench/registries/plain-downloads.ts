import { createHash } from 'node:crypto';
import { eachAtMost } from '@berth/service/waiting/each-at-most';
import { z } from 'zod';

/** The baselines: minimal programs that read the same from a registry, one request at a time like registry-scan. */

const Catalog = z.object({ repositories: z.array(z.string()) });
const Tags = z.object({ tags: z.array(z.string()) });
const Manifest = z.object({ layers: z.array(z.object({ digest: z.string() })) });

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000;
const json = async (url: string): Promise<unknown> => (await fetch(url)).json();
const repositoriesOf = async (origin: string) => Catalog.parse(await json(`${origin}/v2/_catalog`)).repositories;
const tagsOf = async (origin: string, repository: string) =>
  Tags.parse(await json(`${origin}/v2/${repository}/tags/list`)).tags;

/** Seconds to read a file and its digest. */
export async function plainIndex(url: string): Promise<number> {
  const startedAt = performance.now();
  const digest = createHash('sha256');
  for await (const piece of (await fetch(url)).body ?? []) digest.update(piece);
  digest.digest();
  return secondsSince(startedAt);
}

/** Seconds to read every manifest, and every package once. */
export async function plainScan(origin: string): Promise<number> {
  const startedAt = performance.now();
  const known = new Set<string>();
  await eachAtMost(2, await repositoriesOf(origin), async (repository) => {
    await eachAtMost(4, await tagsOf(origin, repository), async (tag) => {
      const { layers } = Manifest.parse(await json(`${origin}/v2/${repository}/manifests/${tag}`));
      for (const { digest } of layers) {
        if (known.has(digest)) continue;
        known.add(digest);
        await (await fetch(`${origin}/v2/${repository}/blobs/${digest}`)).arrayBuffer();
      }
    });
  });
  return secondsSince(startedAt);
}

/** The requests that list everything, and their seconds of CPU. */
export async function plainRound(origin: string): Promise<{ requests: number; cpu: number }> {
  const before = process.cpuUsage();
  const repositories = await repositoriesOf(origin);
  await eachAtMost(2, repositories, async (repository) => void (await tagsOf(origin, repository)));
  const { user, system } = process.cpuUsage(before);
  return { requests: repositories.length + 1, cpu: (user + system) / 1_000_000 };
}
