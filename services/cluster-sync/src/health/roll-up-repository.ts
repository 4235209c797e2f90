import type { HealthReport } from '@berth/contracts/resources/deployments/deployment-health';
import type { Queries, Transaction } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';
import { Held, reportedHealth } from './hold.ts';
import type { HealthPlace } from './roll-up-mark-repository.ts';
import { HealthObject } from './roll-up.ts';

const Place = z.object({ cluster_id: z.uuid(), namespace: z.string(), deployment_id: z.uuid() });
const Due = Place.extend({ held: Held.nullable(), version: z.number().int(), now: z.iso.datetime() });
export type DueRollUp = z.infer<typeof Due>;

const PlacedObject = HealthObject.extend(Place.shape);
const ToReport = Place.extend({ held: Held, version: z.number().int() });

/** Bounds the memory of a roll-up. What decides comes before what explains, and healthy objects come last. */
const mostObjects = 1_000;

const place = sql.fragment`cluster_id, namespace, deployment_id`;
const samePlace = sql.fragment`(h.cluster_id, h.namespace, h.deployment_id) = (r.cluster_id, r.namespace, r.deployment_id)`;
/** Versions are times, so they go on rising after a restored backup. */
const nextVersion = sql.fragment`greatest(h.version + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;
const inMs = (ms: number) => sql.fragment`clock_timestamp() + ${ms} * interval '1 millisecond'`;
/** Whether the watches of its cluster are up to date; otherwise its objects may have changed. */
const isFollowed = sql.fragment`
  exists (select from k8s_clusters c where c.id = h.cluster_id and c.followed and not c.ignore)`;

/** States their number: PostgreSQL would otherwise expect a hundred, and read whole tables for them. */
const asPlaces = (places: readonly HealthPlace[]) => sql.fragment`
  (select * from jsonb_to_recordset(${sql.jsonb(places.map(({ cluster_id, namespace, deployment_id }) => ({ cluster_id, namespace, deployment_id })))})
    as p(cluster_id uuid, namespace text, deployment_id uuid) limit ${places.length}) p`;

export interface RolledUpRow extends HealthPlace {
  /** Null: no object is left, and the row goes. */
  readonly held: Held | null;
  readonly due_at: string | null;
  /** Whether `tasks` is to hear of it. */
  readonly isChanged: boolean;
}

/** In the transaction of a roll-up: other replicas pass over what it has locked. */
export const createRollUps = (tx: Transaction) => ({
  due: (limit: number) =>
    tx.any(sql.type(Due)`
      select ${place}, held, version, clock_timestamp() as now from health_roll_ups h
      where due_at <= clock_timestamp() and ${isFollowed}
      order by due_at limit ${limit} for update skip locked
    `),

  objects: (places: readonly HealthPlace[]) =>
    tx.any(sql.type(PlacedObject)`
      select r.* from ${asPlaces(places)} cross join lateral (
        select ${place}, id, kind, name, health as state, health_since as since, metadata ->> 'cause' as cause,
          metadata ->> 'message' as message, metadata #>> '{parent,resource_id}' as parent_id,
          metadata #>> '{parent,kind}' as parent_kind, metadata ->> 'creationTimestamp' as created_at
        from k8s_resources o
        where (o.cluster_id, o.namespace, o.deployment_id) = (p.cluster_id, p.namespace, p.deployment_id)
          and o.health is not null
        order by o.health = 'Healthy', o.health = 'Explains', o.id limit ${mostObjects}
      ) as r
    `),

  save: async (rows: readonly RolledUpRow[]): Promise<void> => {
    const kept = rows.flatMap(({ held, isChanged, due_at, cluster_id, namespace, deployment_id }) =>
      held ? [{ cluster_id, namespace, deployment_id, held, due_at, is_changed: isChanged }] : [],
    );
    await tx.query(statement`
      update health_roll_ups h set held = r.held, due_at = r.due_at,
        version = case when r.is_changed then ${nextVersion} else h.version end,
        report_at = case when r.is_changed then clock_timestamp() else h.report_at end
      from (select * from jsonb_to_recordset(${sql.jsonb(kept)}) as r(
        cluster_id uuid, namespace text, deployment_id uuid, held jsonb, due_at timestamptz, is_changed boolean
      ) limit ${kept.length}) r
      where ${samePlace}
    `);
    const gone = rows.filter(({ held }) => held === null);
    if (gone.length === 0) return;
    await tx.query(statement`delete from health_roll_ups h using ${asPlaces(gone)} where
      (h.cluster_id, h.namespace, h.deployment_id) = (p.cluster_id, p.namespace, p.deployment_id)`);
  },
});

export interface Reported extends HealthPlace {
  readonly version: number;
  /** When to report again; null: not until it changes. */
  readonly againMs: number | null;
  /** Rolled up again before, under a later version. */
  readonly isOutdated: boolean;
}

export const createRollUpRepository = (db: Queries) => ({
  /** Claims due reports: other replicas do not get them for a while. */
  toReport: async (limit: number, forMs: number): Promise<HealthReport[]> => {
    const rows = await db.any(sql.type(ToReport)`
      with due as (
        select ${place} from health_roll_ups h
        where report_at <= clock_timestamp() and held is not null and ${isFollowed}
        order by report_at limit ${limit} for update skip locked
      )
      update health_roll_ups h set report_at = ${inMs(forMs)} from due r where ${samePlace}
      returning h.cluster_id, h.namespace, h.deployment_id, h.held, h.version
    `);
    return rows.map(({ held, ...row }) => ({ ...row, health: reportedHealth(held) }));
  },

  /** A row that was rolled up again since keeps its own time. */
  reported: (rows: readonly Reported[]) =>
    db.query(statement`
      update health_roll_ups h set
        report_at = clock_timestamp() + again_ms * interval '1 millisecond',
        due_at = case when is_outdated then clock_timestamp() else due_at end,
        version = case when is_outdated then ${nextVersion} else h.version end
      from (select * from jsonb_to_recordset(${sql.jsonb(
        rows.map(({ cluster_id, namespace, deployment_id, version, againMs, isOutdated }) => ({
          cluster_id,
          namespace,
          deployment_id,
          reported: version,
          again_ms: againMs,
          is_outdated: isOutdated,
        })),
      )}) as r(cluster_id uuid, namespace text, deployment_id uuid, reported bigint, again_ms int, is_outdated boolean) limit ${rows.length}) r
      where ${samePlace} and h.version = r.reported
    `),

  /** Lets known deployments of the cluster be reported again, if its watches have caught up; returns those that are known. */
  repeat: async (clusterId: string, ids: readonly string[]): Promise<string[]> => {
    const known = await db.any(sql.type(z.object({ deployment_id: z.uuid() }))`
      with known as materialized (
        select ${place} from health_roll_ups
        where cluster_id = ${clusterId} and deployment_id = any(${sql.array([...ids], 'uuid')})
        order by ${place} for update
      ), repeated as (
        update health_roll_ups h set version = ${nextVersion}, report_at = clock_timestamp(), due_at = clock_timestamp()
        from known r where ${samePlace} and h.report_at is null and ${isFollowed}
      )
      select distinct deployment_id from known
    `);
    return known.map(({ deployment_id }) => deployment_id);
  },
});
export type RollUpRepository = ReturnType<typeof createRollUpRepository>;
