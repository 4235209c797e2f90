-- Deleted namespaces of deployments, or ones being deleted, until it is decided what that means for the deployment.
-- A row may outlive its cluster briefly, which is harmless: a deleted cluster has no deployments.
create table lost_namespaces (
  cluster_id uuid not null,
  namespace text not null,
  deployment_id uuid not null,
  noticed_at timestamptz(3) not null default now(),
  due_at timestamptz(3) not null default now(),

  primary key (cluster_id, namespace, deployment_id)
);

create index lost_namespaces_due on lost_namespaces (due_at);
