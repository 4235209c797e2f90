import { helmRegistries, HelmRegistry, type RegistryProvider } from '@berth/contracts/resources/charts/helm-registries';
import type { ListRequest } from '@berth/contracts/definition/paging';
import type { Queries, Transaction } from '@berth/db/database';
import { equals } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

export interface RegistryFilters extends ListRequest {
  repo_name?: string | undefined;
  kind_id?: string | undefined;
}

interface NewRegistry {
  kindId: string;
  provider: RegistryProvider;
  /** `configured` unless given. */
  source?: 'configured' | 'created';
  icon?: string | undefined;
}

/** A repository in a registry. */
export interface RepositoryName {
  domain: string;
  repository: string;
}

const registry = sql.type(HelmRegistry);
const known = sql.type(z.object({ repo_name: z.string(), available: z.boolean(), has_error: z.boolean() }));
/** A created registry has polls of its own. */
const pollKey = sql.fragment`case source when 'created' then helm_registries.id::text else helm_registries.domain_name end`;
/**
 * `last_scan_at` is that of the whole registry. An error of the repository is shown rather than one of the registry, and that one
 * rather than one of its push events.
 */
const columns = sql.fragment`
  id, created_at, domain_name, repo_name, kind_id, available, fa_icon, provider, source,
  (select p.last_scan_at from registry_polls p where p.domain_name = ${pollKey}) as last_scan_at,
  coalesce(
    last_error, (select coalesce(p.last_error, p.queue_error) from registry_polls p where p.domain_name = ${pollKey})
  ) as last_error,
  credentials_set_at, push_token_set_at
`;

export const createRegistryRepository = (db: Queries) => ({
  list: (request: RegistryFilters) =>
    listPage(db, {
      row: HelmRegistry,
      columns,
      from: sql.fragment`helm_registries`,
      where: [equals(sql.fragment`repo_name`, request.repo_name), equals(sql.fragment`kind_id`, request.kind_id)],
      request,
      sortable: {
        created_at: sql.fragment`created_at`,
        domain_name: sql.fragment`domain_name`,
        repo_name: sql.fragment`repo_name`,
      },
    }),

  find: (id: string) => db.maybeOne(registry`select ${columns} from helm_registries where id = ${id}`),

  lock: (id: string) => db.maybeOne(registry`select ${columns} from helm_registries where id = ${id} for update`),

  lockByName: ({ domain, repository }: RepositoryName) =>
    db.maybeOne(registry`
      select ${columns} from helm_registries
      where domain_name = ${domain} and repo_name = ${repository}
      for update
    `),

  /** The repositories of a registry in which charts were found. */
  knownRepositories: (domain: string) =>
    db.any(known`
      select repo_name, available, last_error is not null as has_error from helm_registries
      where domain_name = ${domain}
    `),

  /** Not published: it is only read. */
  recordError: ({ domain, repository }: RepositoryName, error: string | null) =>
    db.query(statement`
      update helm_registries set last_error = ${error}
      where domain_name = ${domain} and repo_name = ${repository} and last_error is distinct from ${error}
    `),
});
export type RegistryRepository = ReturnType<typeof createRegistryRepository>;

/** Reads and changes in a transaction. Each change is published with it. */
export const createRegistryChanges = (tx: Transaction) => {
  const published = publishing(tx, helmRegistries);

  return {
    ...createRegistryRepository(tx),

    changeIcon: (id: string, icon: string) =>
      tx
        .one(registry`update helm_registries set fa_icon = ${icon} where id = ${id} returning ${columns}`)
        .then(published.updated),

    /** Not published: only callers of the API see it. No two replacements have the same time. */
    noteSecret: (id: string, field: 'credentials_set_at' | 'push_token_set_at', isGiven: boolean) => {
      const column = sql.identifier([field]);
      return tx.query(statement`
        update helm_registries set ${column} = case when ${isGiven} then
          greatest(clock_timestamp(), ${column} + interval '1 millisecond')
        end
        where id = ${id}
      `);
    },

    setAvailable: (id: string, available: boolean) =>
      tx
        .one(registry`update helm_registries set available = ${available} where id = ${id} returning ${columns}`)
        .then(published.updated),

    /** Inserts the registry and returns it; null if it exists. */
    insertMissing: (
      { domain, repository }: RepositoryName,
      { kindId, provider, source = 'configured', icon = 'question' }: NewRegistry,
    ) =>
      tx
        .maybeOne(registry`
          insert into helm_registries (domain_name, repo_name, kind_id, provider, source, fa_icon)
          values (${domain}, ${repository}, ${kindId}, ${provider}, ${source}, ${icon})
          on conflict on constraint helm_registries_repository_key do nothing
          returning ${columns}
        `)
        .then(published.inserted),

    /** Turns the row of a registry that is no longer configured into that of a created one; null if it is one already. */
    takeOver: ({ domain, repository }: RepositoryName, { provider }: Pick<NewRegistry, 'provider'>) =>
      tx
        .maybeOne(registry`
          update helm_registries set source = 'created', provider = ${provider}, last_error = null
          where domain_name = ${domain} and repo_name = ${repository} and source = 'configured'
          returning ${columns}
        `)
        .then(published.updated),

    remove: async (id: string): Promise<void> => {
      const removed = await tx.one(registry`delete from helm_registries where id = ${id} returning ${columns}`);
      await tx.query(statement`
        delete from registry_tags
        where domain_name = ${removed.domain_name} and repo_name = ${removed.repo_name}
      `);
      await tx.query(statement`delete from registry_polls where domain_name = ${id}`);
      published.deleted(removed);
    },
  };
};
export type RegistryChanges = ReturnType<typeof createRegistryChanges>;
