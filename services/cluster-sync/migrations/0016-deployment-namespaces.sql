-- Whose namespace is which: kept here, where no workload can write. `mark` is written before the namespace is made and is in an
-- annotation of it from the start, so that a creation whose answer was lost is recognized; from then on only `uid` counts.
create table deployment_namespaces (
  cluster_id uuid not null,
  name text not null,
  deployment_id uuid not null,
  mark text,
  uid text,

  constraint deployment_namespaces_pkey primary key (cluster_id, name),
  constraint deployment_namespaces_cluster_id_fkey foreign key (cluster_id) references k8s_clusters (id) on delete cascade,
  constraint deployment_namespaces_known check (mark is not null or uid is not null)
);

create index deployment_namespaces_of_deployment on deployment_namespaces (cluster_id, deployment_id);

-- Accounts of deployments in clusters, written before they are made, so that none is forgotten.
create table deployment_accounts (
  cluster_id uuid not null,
  deployment_id uuid not null,
  used_at timestamptz(3) not null default now(),

  constraint deployment_accounts_pkey primary key (cluster_id, deployment_id),
  constraint deployment_accounts_cluster_id_fkey foreign key (cluster_id) references k8s_clusters (id) on delete cascade
);

-- Namespaces of before were recognized by their annotation, and are tracked by it. One that is tracked as a deployment's
-- and lies at the place of another one has lied.
insert into deployment_namespaces (cluster_id, name, deployment_id, uid)
select distinct on (r.cluster_id, r.name) r.cluster_id, r.name, r.deployment_id, r.uid
from k8s_resources r
join deployment_projection d on d.id = r.deployment_id and not d.deleted
where r.kind = 'Namespace' and r.api_version = 'v1' and not exists (
  select 1 from deployment_projection o
  where o.cluster_id = r.cluster_id and o.namespace = r.name and o.id <> r.deployment_id and not o.deleted
)
order by r.cluster_id, r.name, r.last_updated_at desc;
