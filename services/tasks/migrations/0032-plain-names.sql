-- Columns and tables are named as the code names them: a copy of another service's rows is a projection.
alter table k8s_clusters_seen rename to k8s_cluster_projection;
alter table helm_registries_seen rename to helm_registry_projection;
alter table helm_charts_seen rename to helm_chart_projection;
alter table deployment_kinds_seen rename to deployment_kind_projection;
alter table envs_seen rename to env_projection;
alter index k8s_clusters_seen_pkey rename to k8s_cluster_projection_pkey;
alter index helm_registries_seen_pkey rename to helm_registry_projection_pkey;
alter index helm_charts_seen_pkey rename to helm_chart_projection_pkey;
alter index deployment_kinds_seen_pkey rename to deployment_kind_projection_pkey;
alter index envs_seen_pkey rename to env_projection_pkey;

-- The claim whose outcome has been recorded: a repeat of it changes nothing.
alter table deployment_tasks rename column settled_fence to acknowledged_fence;

-- Until then no deployment comes to the cluster as long as it is in that env: its owner is about to delete or move it.
alter table k8s_cluster_projection add column closed_until timestamptz(3), add column closed_env_id uuid;
