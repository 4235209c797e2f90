import type { Queries } from '@berth/shared/db/database';
import { sql } from 'slonik';
import { z } from 'zod';
import type { RepositoryName } from '../registries/registry-repository.ts';

/** A tag as it was last seen. */
export interface KnownTag {
  tag: string;
  digest: string;
  isChart: boolean;
  settled: boolean;
  /** ISO time at which the registry was asked. */
  observedAt: string;
}

export interface TagName extends RepositoryName {
  tag: string;
}

export interface Observation {
  digest: string;
  isChart: boolean;
  settled: boolean;
  observedAt: string;
}

const nothing = sql.type(z.object({}));
const tagName = sql.type(z.object({ tag: z.string() }));
const now = sql.type(z.object({ now: z.string() }));
const knownTag = sql.type(
  z.object({
    tag: z.string(),
    digest: z.string(),
    is_chart: z.boolean(),
    settled: z.boolean(),
    observed_at: z.string(),
  }),
);

export const createTagRepository = (db: Queries) => ({
  /** By the clock that all replicas share. */
  now: async (): Promise<string> => (await db.one(now`select clock_timestamp() as now`)).now,

  known: async ({ domain, repository }: RepositoryName): Promise<KnownTag[]> => {
    const rows = await db.any(knownTag`
      select tag, digest, is_chart, settled, observed_at from registry_tags
      where domain_name = ${domain} and repo_name = ${repository}
    `);
    return rows.map(({ is_chart, observed_at, ...row }) => ({ ...row, isChart: is_chart, observedAt: observed_at }));
  },

  /** Notes what a tag is; false where something newer is known. The tag stays locked until the transaction ends. */
  note: async (
    { domain, repository, tag }: TagName,
    { digest, isChart, settled, observedAt }: Observation,
  ): Promise<boolean> => {
    const noted = await db.maybeOne(tagName`
      insert into registry_tags (domain_name, repo_name, tag, digest, is_chart, settled, observed_at)
      values (${domain}, ${repository}, ${tag}, ${digest}, ${isChart}, ${settled}, ${observedAt})
      on conflict on constraint registry_tags_pkey do update set
        digest = excluded.digest, is_chart = excluded.is_chart, settled = excluded.settled,
        observed_at = excluded.observed_at
      where registry_tags.observed_at <= excluded.observed_at
      returning tag
    `);
    return noted !== null;
  },

  /** The tags are still what they were. */
  confirm: ({ domain, repository }: RepositoryName, tags: readonly string[], observedAt: string) =>
    db.query(nothing`
      update registry_tags set observed_at = ${observedAt}
      where domain_name = ${domain} and repo_name = ${repository} and tag = any(${sql.array([...tags], 'text')})
        and observed_at < ${observedAt}
    `),

  /** Forgets tags that the registry did not list; those that were seen since then stay. Answers which are gone. */
  forget: async (
    { domain, repository }: RepositoryName,
    tags: readonly string[],
    observedAt: string,
  ): Promise<string[]> => {
    const gone = await db.any(tagName`
      delete from registry_tags
      where domain_name = ${domain} and repo_name = ${repository} and tag = any(${sql.array([...tags], 'text')})
        and observed_at < ${observedAt}
      returning tag
    `);
    return gone.map(({ tag }) => tag);
  },
});
export type TagRepository = ReturnType<typeof createTagRepository>;
