import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import type { RepositoryName } from '../registries/registry-repository.ts';

/** A tag at its last scan. */
export interface KnownTag {
  tag: string;
  digest: string;
  isChart: boolean;
  isFinal: boolean;
  /** ISO time of the request to the registry. */
  observedAt: string;
}

export interface TagName extends RepositoryName {
  tag: string;
}

export interface ObservedTag {
  digest: string;
  isChart: boolean;
  isFinal: boolean;
  observedAt: string;
}

const tagName = sql.type(z.object({ tag: z.string() }));
const now = sql.type(z.object({ now: z.string() }));
const counted = sql.type(z.object({ count: z.number() }));
const knownTag = sql.type(
  z.object({
    tag: z.string(),
    digest: z.string(),
    is_chart: z.boolean(),
    is_final: z.boolean(),
    observed_at: z.string(),
  }),
);

export const createTagRepository = (db: Queries) => ({
  /** By the clock of the database, which all replicas share. */
  now: async (): Promise<string> => (await db.one(now`select clock_timestamp() as now`)).now,

  known: async ({ domain, repository }: RepositoryName): Promise<KnownTag[]> => {
    const rows = await db.any(knownTag`
      select tag, digest, is_chart, is_final, observed_at from registry_tags
      where domain_name = ${domain} and repo_name = ${repository}
    `);
    return rows.map(({ tag, digest, is_chart, is_final, observed_at }) => ({
      tag,
      digest,
      isChart: is_chart,
      isFinal: is_final,
      observedAt: observed_at,
    }));
  },

  countNotFinal: async ({ domain, repository }: RepositoryName): Promise<number> => {
    const { count } = await db.one(counted`
      select count(*)::int as count from registry_tags
      where domain_name = ${domain} and repo_name = ${repository} and not is_final
    `);
    return count;
  },

  /** Records a tag and locks it until the transaction ends; false if a newer observation is stored. */
  record: async (
    { domain, repository, tag }: TagName,
    { digest, isChart, isFinal, observedAt }: ObservedTag,
  ): Promise<boolean> => {
    const recorded = await db.maybeOne(tagName`
      insert into registry_tags (domain_name, repo_name, tag, digest, is_chart, is_final, observed_at)
      values (${domain}, ${repository}, ${tag}, ${digest}, ${isChart}, ${isFinal}, ${observedAt})
      on conflict on constraint registry_tags_pkey do update set
        digest = excluded.digest, is_chart = excluded.is_chart, is_final = excluded.is_final,
        observed_at = excluded.observed_at
      where registry_tags.observed_at <= excluded.observed_at
      returning tag
    `);
    return recorded !== null;
  },

  /** Records that the tags still have their digests. */
  confirm: ({ domain, repository }: RepositoryName, tags: readonly string[], observedAt: string) =>
    db.query(statement`
      update registry_tags set observed_at = ${observedAt}
      where domain_name = ${domain} and repo_name = ${repository} and tag = any(${sql.array([...tags], 'text')})
        and observed_at < ${observedAt}
    `),

  /** Deletes tags that the registry did not list, unless they were recorded since, and returns the deleted ones. */
  remove: async (
    { domain, repository }: RepositoryName,
    tags: readonly string[],
    observedAt: string,
  ): Promise<string[]> => {
    const removed = await db.any(tagName`
      delete from registry_tags
      where domain_name = ${domain} and repo_name = ${repository} and tag = any(${sql.array([...tags], 'text')})
        and observed_at < ${observedAt}
      returning tag
    `);
    return removed.map(({ tag }) => tag);
  },
});
export type TagRepository = ReturnType<typeof createTagRepository>;
