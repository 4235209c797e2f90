import type { Queries } from '@berth/db/database';
import { sql } from 'slonik';
import { z } from 'zod';
import type { NamespaceRecord } from './namespace-record.ts';

const Texts = z.record(z.string(), z.string().nullable());
const Record = z.object({
  deployment_id: z.uuid(),
  mark: z.string().nullable(),
  uid: z.string().nullable(),
  adopted: z.object({ labels: Texts, annotations: Texts }).nullable(),
});
const record = sql.type(Record);
const named = sql.type(Record.extend({ name: z.string() }));
const columns = sql.fragment`deployment_id, mark, uid, adopted`;

const asJson = (adopted: NamespaceRecord['adopted']) => (adopted ? sql.jsonb({ ...adopted }) : sql.fragment`null`);

export interface NamespaceName {
  readonly clusterId: string;
  readonly name: string;
}

const isAt = ({ clusterId, name }: NamespaceName) => sql.fragment`cluster_id = ${clusterId} and name = ${name}`;

const is = ({ deployment_id, mark, uid }: NamespaceRecord) =>
  sql.fragment`deployment_id = ${deployment_id} and mark is not distinct from ${mark} and uid is not distinct from ${uid}`;

export const createNamespaceRepository = (db: Queries) => ({
  find: (at: NamespaceName): Promise<NamespaceRecord | null> =>
    db.maybeOne(record`select ${columns} from deployment_namespaces where ${isAt(at)}`),

  ofCluster: (clusterId: string) =>
    db.any(named`select name, ${columns} from deployment_namespaces where cluster_id = ${clusterId}`),

  /** Whether a deployment has a namespace in the cluster. */
  isIn: (clusterId: string, deploymentId: string) =>
    db.exists(record`
      select ${columns} from deployment_namespaces where cluster_id = ${clusterId} and deployment_id = ${deploymentId}
    `),

  /** Adds a record; null if one exists. */
  insert: (at: NamespaceName, next: NamespaceRecord): Promise<NamespaceRecord | null> =>
    db.maybeOne(record`
      insert into deployment_namespaces (cluster_id, name, deployment_id, mark, uid, adopted)
      values (${at.clusterId}, ${at.name}, ${next.deployment_id}, ${next.mark}, ${next.uid}, ${asJson(next.adopted)})
      on conflict (cluster_id, name) do nothing returning ${columns}
    `),

  /** Replaces the record that was read; null if it was changed since. */
  replace: (at: NamespaceName, read: NamespaceRecord, next: NamespaceRecord): Promise<NamespaceRecord | null> =>
    db.maybeOne(record`
      update deployment_namespaces set deployment_id = ${next.deployment_id}, mark = ${next.mark}, uid = ${next.uid},
        adopted = ${asJson(next.adopted)}
      where ${isAt(at)} and ${is(read)} returning ${columns}
    `),

  /** Adopted namespaces of a cluster whose deployment was deleted. */
  orphansIn: (clusterId: string) =>
    db.any(named`
      select name, ${columns} from deployment_namespaces n
      where cluster_id = ${clusterId} and adopted is not null
        and exists (select from deployment_projection d where d.id = n.deployment_id and d.deleted)
    `),

  /** Removes the record unless it was changed since it was read. */
  remove: async (at: NamespaceName, read: NamespaceRecord): Promise<void> => {
    await db.query(record`delete from deployment_namespaces where ${isAt(at)} and ${is(read)}`);
  },
});
export type NamespaceRepository = ReturnType<typeof createNamespaceRepository>;
