-- What an object says of the health of its deployment (`src/health/objects/object-state.ts`), and since when; null: nothing.
alter table k8s_resources add column health text, add column health_since timestamptz(3);
create index k8s_resources_of_health on k8s_resources (cluster_id, namespace, deployment_id) where health is not null;

-- Whether the rows of the cluster are what its watches show now.
alter table k8s_clusters add column followed boolean not null default false;

create table health_roll_ups (
  cluster_id uuid not null,
  namespace text not null,
  deployment_id uuid not null,
  -- When to roll up next, set in the transaction that changes a row; null: when the next row changes.
  due_at timestamptz(3),
  -- What was rolled up last, and what is held of before.
  held jsonb,
  version bigint not null default 0,
  -- When to report; null: tasks has recorded this version.
  report_at timestamptz(3),

  constraint health_roll_ups_pkey primary key (cluster_id, namespace, deployment_id),
  constraint health_roll_ups_cluster_id_fkey foreign key (cluster_id) references k8s_clusters (id) on delete cascade
);

create index health_roll_ups_due on health_roll_ups (due_at) where due_at is not null;
create index health_roll_ups_to_report on health_roll_ups (report_at) where report_at is not null;
