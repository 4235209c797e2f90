-- What site admins let the deployments of a kind do beyond their namespaces.
create table cluster_role_grants (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  env_id uuid not null,
  kind_id uuid not null,
  cluster_role text not null,
  scope text not null,

  constraint cluster_role_grants_key unique (env_id, kind_id, cluster_role, scope),
  constraint cluster_role_grants_scope check (scope in ('Namespace', 'Cluster'))
);

create index cluster_role_grants_newest_first on cluster_role_grants (created_at desc, id desc);
create index cluster_role_grants_by_cluster_role on cluster_role_grants (cluster_role, id);
create index cluster_role_grants_of_env on cluster_role_grants (env_id, created_at desc, id desc);
create index cluster_role_grants_of_kind on cluster_role_grants (kind_id, created_at desc, id desc);

-- The bindings of these grants in clusters, each recorded before it is made: a crash in between leaves nothing that is not
-- known here. The id is part of the name of the binding, so a name is never used again.
create table granted_bindings (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references k8s_clusters (id) on delete cascade,
  deployment_id uuid not null,
  namespace text not null,
  -- Without a foreign key: a revoked grant leaves its bindings to be removed.
  grant_id uuid not null,
  cluster_role text not null,
  scope text not null,
  created_at timestamptz(3) not null default now(),
  -- No longer wanted. Removed from the cluster at once, and once more after the last call that could still make it.
  withdrawn_at timestamptz(3),
  removed boolean not null default false
);

create unique index granted_bindings_key on granted_bindings (cluster_id, deployment_id, namespace, grant_id)
  where withdrawn_at is null;
create index granted_bindings_of_cluster on granted_bindings (cluster_id);
