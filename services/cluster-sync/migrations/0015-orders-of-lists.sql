create index k8s_clusters_newest_first on k8s_clusters (created_at desc, id desc);
create index k8s_clusters_by_name on k8s_clusters (name, id);
create index k8s_clusters_by_region_name on k8s_clusters (region_name, id);
create index k8s_clusters_by_last_seen_at on k8s_clusters (last_seen_at, id);
create index k8s_clusters_by_is_ok on k8s_clusters (is_ok, id);
create index k8s_clusters_named on k8s_clusters (lower(name), created_at desc, id desc);
drop index k8s_clusters_env_id;
create index k8s_clusters_of_env on k8s_clusters (env_id, created_at desc, id desc);

create index k8s_resources_by_kind on k8s_resources (kind, id);
create index k8s_resources_by_name on k8s_resources (name, id);
create index k8s_resources_on_cluster on k8s_resources (cluster_id, last_updated_at desc, id desc);
create index k8s_resources_of_kind on k8s_resources (lower(kind), last_updated_at desc, id desc);
create index k8s_resources_of_kind_by_kind on k8s_resources (lower(kind), kind, id);
create index k8s_resources_named on k8s_resources (lower(name), last_updated_at desc, id desc);
