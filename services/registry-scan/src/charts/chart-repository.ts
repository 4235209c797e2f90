import { isDeepStrictEqual } from 'node:util';
import { jsonOrNull } from '@berth/db/postgres/json-or-null';
import { HelmChart, helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import type { ListRequest } from '@berth/contracts/definition/paging';
import type { Queries, Transaction } from '@berth/db/database';
import { type Condition, equals } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { ChartMetadata } from '@berth/chart-archive/chart-metadata';
import type { ParsedTag } from '../tag-formats/parsed-tag.ts';
import type { FetchedChart } from './fetch-chart.ts';

export interface ChartFilters extends ListRequest {
  helm_registry_id?: string | undefined;
  kind_id?: string | undefined;
  image_tag?: string | undefined;
  parsed_version?: string | undefined;
  parsed_branch?: string | undefined;
  available?: boolean | undefined;
  in_use?: boolean | undefined;
}

export interface ChartToParse {
  row: HelmChart;
  metadata: ChartMetadata | null;
}

export interface NewChart {
  registryId: string;
  digest: string;
  tag: string;
  read: FetchedChart;
  parsed: ParsedTag;
  formatsRevision: number;
}

const chart = sql.type(HelmChart);
const columns = sql.fragment`
  id, created_at, helm_registry_id, image_digest, image_tag, available, values_ui, actions_schema, features,
  resource_types, error, tag_format_id, parsed_version, parsed_revision, parsed_branch, parsed_commit
`;

const Written = HelmChart.extend({ inserted: z.boolean() });
const ToParse = HelmChart.extend({ metadata: ChartMetadata.nullable() });

const Content = HelmChart.pick({
  values_ui: true,
  actions_schema: true,
  features: true,
  resource_types: true,
  error: true,
}).extend({ metadata: ChartMetadata.nullable(), archive_digest: z.string(), archive_url: z.string().nullable() });

const ArchiveSource = z.object({
  domain_name: z.string(),
  repo_name: z.string(),
  archive_digest: z.string(),
  archive_url: z.string().nullable(),
});
export type ArchiveSource = z.infer<typeof ArchiveSource>;

const isInUse = sql.fragment`exists (
  select from deployment_projection d where d.helm_chart_id = helm_charts.id and not d.deleted
)`;

const inUse = (wanted: boolean | undefined): Condition => {
  if (wanted === undefined) return undefined;
  return wanted ? isInUse : sql.fragment`not ${isInUse}`;
};

const ofKind = (kindId: string | undefined): Condition =>
  kindId === undefined
    ? undefined
    : sql.fragment`helm_registry_id in (select r.id from helm_registries r where r.kind_id = ${kindId})`;

/** Renamed, so that they do not clash with the columns that the update returns. */
const recordOf = (parsed: { id: string } & ParsedTag) => ({
  chart: parsed.id,
  format: parsed.tag_format_id,
  version: parsed.parsed_version,
  revision: parsed.parsed_revision,
  branch: parsed.parsed_branch,
  commit: parsed.parsed_commit,
});

export const createChartRepository = (db: Queries) => ({
  list: (request: ChartFilters) =>
    listPage(db, {
      row: HelmChart,
      columns,
      from: sql.fragment`helm_charts`,
      where: [
        equals(sql.fragment`helm_registry_id`, request.helm_registry_id),
        equals(sql.fragment`image_tag`, request.image_tag),
        equals(sql.fragment`parsed_version`, request.parsed_version),
        equals(sql.fragment`parsed_branch`, request.parsed_branch),
        equals(sql.fragment`available`, request.available),
        ofKind(request.kind_id),
        inUse(request.in_use),
      ],
      request,
      bytes: sql.fragment`octet_length(to_json(helm_charts)::text)`,
      sortable: {
        created_at: sql.fragment`created_at`,
        image_tag: sql.fragment`image_tag`,
        parsed_version: sql.fragment`parsed_version`,
        parsed_branch: sql.fragment`parsed_branch`,
      },
    }),

  find: (id: string) => db.maybeOne(chart`select ${columns} from helm_charts where id = ${id}`),

  /** The registry, repository and digest of the chart's package. */
  findSource: (id: string) =>
    db.maybeOne(sql.type(ArchiveSource)`
      select r.domain_name, r.repo_name, c.archive_digest, c.archive_url
      from helm_charts c join helm_registries r on r.id = c.helm_registry_id
      where c.id = ${id}
    `),

  /** The content of the same manifest, already read under another tag or repository. */
  findContent: (digest: string) =>
    db.maybeOne(sql.type(Content)`
      select values_ui, actions_schema, features, resource_types, error, metadata, archive_digest, archive_url
      from helm_charts where image_digest = ${digest} and is_final
      limit 1
    `),

  /** Locks, until the transaction ends, up to `limit` charts whose tags were parsed with older formats. */
  lockToParse: async (revision: number, limit: number): Promise<ChartToParse[]> => {
    const rows = await db.any(sql.type(ToParse)`
      select ${columns}, metadata from helm_charts
      where formats_revision < ${revision}
      order by formats_revision, id
      for update skip locked
      limit ${limit}
    `);
    return rows.map(({ metadata, ...row }) => ({ row, metadata }));
  },
});
export type ChartRepository = ReturnType<typeof createChartRepository>;

/** Reads and changes in a transaction. Each change is published with it. */
export const createChartChanges = (tx: Transaction) => {
  const published = publishing(tx, helmCharts);

  return {
    ...createChartRepository(tx),

    /** Inserts the chart, or updates the stored row and makes it available again if it is out of date. */
    upsert: async ({ registryId, digest, tag, read, parsed, formatsRevision }: NewChart): Promise<void> => {
      const written = await tx.maybeOne(sql.type(Written)`
        insert into helm_charts (
          helm_registry_id, image_digest, image_tag, values_ui, actions_schema, features, resource_types, error,
          metadata, archive_digest, archive_url, is_final, formats_revision,
          tag_format_id, parsed_version, parsed_revision, parsed_branch, parsed_commit
        )
        values (
          ${registryId}, ${digest}, ${tag}, ${jsonOrNull(read.values_ui)}, ${jsonOrNull(read.actions_schema)},
          ${jsonOrNull(read.features)}, ${jsonOrNull(read.resource_types)}, ${read.error},
          ${read.metadata === null ? null : sql.jsonb({ ...read.metadata })}, ${read.archiveDigest}, ${read.archiveUrl},
          ${read.isFinal}, ${formatsRevision}, ${parsed.tag_format_id}, ${parsed.parsed_version}, ${parsed.parsed_revision},
          ${parsed.parsed_branch}, ${parsed.parsed_commit}
        )
        on conflict on constraint helm_charts_tag_key do update set
          available = true,
          values_ui = excluded.values_ui, actions_schema = excluded.actions_schema, features = excluded.features,
          resource_types = excluded.resource_types, error = excluded.error, metadata = excluded.metadata,
          archive_digest = excluded.archive_digest, archive_url = excluded.archive_url, is_final = excluded.is_final, read_at = now(),
          formats_revision = excluded.formats_revision, tag_format_id = excluded.tag_format_id,
          parsed_version = excluded.parsed_version, parsed_revision = excluded.parsed_revision,
          parsed_branch = excluded.parsed_branch, parsed_commit = excluded.parsed_commit
        where not helm_charts.available
          or (not helm_charts.is_final and (excluded.is_final or helm_charts.error is distinct from excluded.error))
        returning ${columns}, (xmax = 0) as inserted
      `);
      if (written === null) return;
      const { inserted, ...row } = written;
      if (inserted) published.inserted(row);
      else published.updated(row);
    },

    /** Makes the charts of a tag unavailable if they do not have its current digest. */
    retireTag: (registryId: string, tag: string, exceptDigest: string | null) =>
      tx
        .any(chart`
        update helm_charts set available = false
        where helm_registry_id = ${registryId} and image_tag = ${tag} and available
          and image_digest is distinct from ${exceptDigest}
        returning ${columns}
      `)
        .then(published.updated),

    /** Some deployment, enabled or not, refers to one of its charts. */
    isRegistryInUse: (registryId: string) =>
      tx.exists(statement`
        select from helm_charts where helm_registry_id = ${registryId} and ${isInUse}
      `),

    removeAll: (registryId: string): Promise<readonly HelmChart[]> =>
      tx
        .any(chart`delete from helm_charts where helm_registry_id = ${registryId} returning ${columns}`)
        .then(published.deleted),

    retireTags: (registryId: string, tags: readonly string[]) =>
      tx
        .any(chart`
        update helm_charts set available = false
        where helm_registry_id = ${registryId} and image_tag = any(${sql.array([...tags], 'text')}) and available
        returning ${columns}
      `)
        .then(published.updated),

    /** `before`: the locked rows. Rows that do not change are not published. */
    saveParsed: async (
      before: readonly HelmChart[],
      parsed: readonly ({ id: string } & ParsedTag)[],
      revision: number,
    ) => {
      const rows = await tx.any(chart`
        update helm_charts set
          formats_revision = ${revision}, tag_format_id = p.format, parsed_version = p.version,
          parsed_revision = p.revision, parsed_branch = p.branch, parsed_commit = p.commit
        from jsonb_to_recordset(${sql.jsonb(parsed.map(recordOf))}) as p(
          chart uuid, format uuid, version text, revision text, branch text, commit text
        )
        where id = p.chart
        returning ${columns}
      `);
      const old = new Map(before.map((row) => [row.id, row]));
      published.updated(rows.filter((row) => !isDeepStrictEqual(old.get(row.id), row)));
    },
  };
};
export type ChartChanges = ReturnType<typeof createChartChanges>;
