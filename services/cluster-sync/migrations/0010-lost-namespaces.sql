-- Namespaces of deployments that were deleted, or are being deleted, until it is known what that means for the deployment.
-- A row outlives its cluster for a moment: no deployment is on a cluster that is deleted, so it means nothing then.
create table lost_namespaces (
  cluster_id uuid not null,
  namespace text not null,
  deployment_id uuid not null,
  noticed_at timestamptz(3) not null default now(),
  due_at timestamptz(3) not null default now(),

  primary key (cluster_id, namespace, deployment_id)
);

create index lost_namespaces_due on lost_namespaces (due_at);
